// SPDX-License-Identifier: LGPL-2.1-or-later

// client get|post URL: asks with the default client, and prints status and body.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

func main() {
	answer, err := http.Get(os.Args[2])
	if os.Args[1] == "post" {
		answer, err = http.Post(os.Args[2], "text/plain", strings.NewReader("data"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(answer.StatusCode, string(body))
}
