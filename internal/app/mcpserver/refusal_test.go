package mcpserver

import (
	"net/http"
	"strings"
	"testing"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/problem"
)

// A session whose frames expired still has messages and spans; a deleted one has nothing.
func TestAdviceOnGone(t *testing.T) {
	for title, want := range map[string]string{problem.SessionDeleted: "was deleted", "Frames expired": "read_messages"} {
		c := call{tool: "read_frames"}
		if got := c.advice(&apiclient.Error{Status: http.StatusGone, Title: title}); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", title, got, want)
		}
	}
}
