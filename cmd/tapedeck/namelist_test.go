package main

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An empty name of a flag reaches the server: it selects sessions in which the name is unknown.
func TestNameLists(t *testing.T) {
	for _, tc := range []struct {
		words []string
		want  url.Values
	}{
		{nil, url.Values{}},
		{[]string{"--model", ""}, url.Values{"model": {""}}},
		{[]string{"--model="}, url.Values{"model": {""}}},
		{[]string{"--model", "", "--model", "a,b", "--model=c"}, url.Values{"model": {"", "a", "b", "c"}}},
		{[]string{"--tool", `a\,b`, "--agent", "", "--provider", ""},
			url.Values{"tool": {"a,b"}, "agent": {""}, "provider": {""}}},
		{[]string{"--run", "", "--node", "", "--service-tier", "", "--unknown", "call_model,tool_agent"},
			url.Values{"run": {""}, "node": {""}, "service_tier": {""}, "unknown": {"call_model", "tool_agent"}}},
	} {
		i, err := parseInvocation(t.Context(), append([]string{"sessions"}, tc.words...))
		if err != nil {
			t.Errorf("%q: %v", tc.words, err)
			continue
		}
		got := url.Values{}
		i.cli.Sessions.set(got)
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", tc.words, d)
		}
	}
	if _, err := parseInvocation(t.Context(), []string{"sessions", "--model"}); err == nil {
		t.Error("--model without a value passes")
	}
	i, err := parseInvocation(t.Context(), []string{"doctor", "usage", "--model", "", "--tool", "t"})
	if err != nil {
		t.Fatal(err)
	}
	q := i.cli.Doctor.Usage.values()
	if d := cmp.Diff(url.Values{"model": {""}, "tool": {"t"}}, q); d != "" {
		t.Errorf("doctor usage (-want +got):\n%s", d)
	}
}
