package main

import (
	"net/http"
	"testing"

	"tapedeck/internal/apiclient"
)

// The answer to a command that waits for the server may take longer than that to others.
func TestSlowClient(t *testing.T) {
	g := &global{Server: "http://127.0.0.1:1"}
	for name, client := range map[string]func() (*apiclient.Client, error){"others": g.client, "slow": g.slowClient} {
		c, err := client()
		if err != nil {
			t.Fatal(err)
		}
		if within := c.HTTP.Transport.(*http.Transport).ResponseHeaderTimeout; (within == 0) != (name == "slow") {
			t.Errorf("%s: the answer has to begin within %v", name, within)
		}
	}
}
