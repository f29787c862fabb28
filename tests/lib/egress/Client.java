// SPDX-License-Identifier: LGPL-2.1-or-later

import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Client old|new get|post URL: asks with HttpURLConnection or HttpClient, and prints status and body. */
class Client {
    public static void main(String[] arguments) throws Exception {
        var url = URI.create(arguments[2]);
        var post = arguments[1].equals("post");

        if (arguments[0].equals("old")) {
            var connection = (HttpURLConnection) url.toURL().openConnection();
            if (post) {
                connection.setDoOutput(true);
                connection.getOutputStream().write("data".getBytes());
            }
            var status = connection.getResponseCode();
            InputStream body = status < 400 ? connection.getInputStream() : connection.getErrorStream();
            System.out.println(status + " " + new String(body.readAllBytes()));
            return;
        }
        var request = HttpRequest.newBuilder(url);
        if (post)
            request.POST(HttpRequest.BodyPublishers.ofString("data"));
        var answer = HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        System.out.println(answer.statusCode() + " " + answer.body());
    }
}
