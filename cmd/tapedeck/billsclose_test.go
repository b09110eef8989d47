package main

import (
	"strings"
	"testing"
)

// An account beside --all is refused, also the one that is the default.
func TestCloseAllNamesNoAccount(t *testing.T) {
	for _, account := range []string{"tenant", "customer=c1"} {
		i, err := newInvocation(t.Context(), []string{"bills", "close", "2026-10", "--all", "--account", account})
		if err != nil {
			t.Fatal(err)
		}
		if err := i.cli.Bills.Close.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "not both") {
			t.Errorf("--account %s: %v", account, err)
		}
	}
}
