package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tapedeck/internal/app/lifecycle/erasure"
	"tapedeck/internal/problem"
	state "tapedeck/schema/lifecycle/erasure"
)

// Invalid flags are refused before a request is sent, by the names of the flags.
func TestRefusedFlags(t *testing.T) {
	for line, want := range map[string]string{
		"calls --list 1001":                          "--list 1001: it must be from 0 to 1000",
		"calls --list -1":                            "--list -1: it must be from 0 to 1000",
		"usage --tag =foo":                           `--tag "=foo": it must be`,
		"sessions --tag :":                           `--tag ":": it must be`,
		"doctor usage --tag =":                       `--tag "=": it must be`,
		"bisect --tag =x --tool Bash":                `--tag "=x": it must be`,
		"usage --top 3":                              "--top goes with --group-by",
		"usage --top 3 --group-by=":                  "--top goes with --group-by",
		"retention preview nope":                     `"nope" is no kind of data: name one of frames`,
		"export s --format trace --content":          "--content goes with --format otlp",
		"bills export INV-1 out --for x":             `must be one of "customer"`,
		"audit --outcome x":                          `must be one of "begun","done"`,
		"emulate s --end x":                          `must be one of "stop","again"`,
		"archive list":                               `"tapedeck archive" has no command "list": an archive is a directory of files, which other tools list and delete; "tapedeck archive ./list" archives`,
		"archive verify":                             `"tapedeck archive PLACE --verify" checks an archive`,
		"backup ls":                                  `a backup cannot have the name "ls": "tapedeck backup list" lists backups`,
		"backup restore":                             `"tapedeck restore NAME" restores a backup`,
		"sync claude":                                `"tapedeck sync" takes no "claude"`,
		"sync lisst":                                 `did you mean "sync list"?`,
		"usage --since nope":                         `--since: "nope" is not known`,
		"usage --until=nope":                         `--until: "nope" is not known`,
		"usage --from nope":                          `--from: "nope" is not known`,
		"retention preview --max-age 3d":             "name the kind",
		"assert x.tape --no-fails --max-cost=":       `--max-cost "": it must be an amount`,
		"assert x.tape --no-fails --same-steps=":     "--same-steps: name a tape file",
		"assert x.tape --no-fails --order=":          `--order "": it must not be empty`,
		"assert x.tape --no-fails --text=":           `--text "": it must not be empty`,
		"assert x.tape --no-fails --file=":           "--file",
		"assert x.tape --no-fails --price-file=":     "--price-file",
		"assert x.tape --no-fails --max-tokens=-1":   "--max-tokens -1: it must be 0 or more",
		"assert x.tape --no-fails --max-gap=-1s":     "--max-gap -1s: it must be 0s or more",
		"alerts test x --rules /nonexistent":         "--rules",
		"alerts list --limit 0":                      "--limit 0: it must be",
		"notes s --limit 0":                          "--limit 0: it must be 1 or more",
		"bills close 2026-10 --all --account tenant": "not both",
	} {
		i, err := newInvocation(t.Context(), strings.Fields(line+" --server http://127.0.0.1:1"))
		if err == nil {
			err = i.context.Run()
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), `"",`) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

// An interrupted wait says that the erasure goes on.
func TestEraseWaitInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(problem.ServerHeader, "1")
		fmt.Fprint(w, `{"id":"e1","state":"hidden","waits_for":"the sink"}`)
		interrupt()
	}))
	defer s.Close()
	err := waitErased(ctx, &global{Server: s.URL}, "e1")
	if err == nil || !strings.Contains(err.Error(), "the erasure e1 goes on") || strings.Contains(err.Error(), "context canceled") {
		t.Errorf("interrupted: %v", err)
	}
	if got := hidden(&erasure.Answer{}); !strings.Contains(got, "nothing of it is stored") || strings.Contains(got, "0 frames") {
		t.Errorf("an erasure of nothing: %s", got)
	}
	if got := hidden(&erasure.Answer{Found: state.Counts{Sessions: 1, Frames: 2}}); got != "2 frames of 1 session, 0 B; they are hidden" {
		t.Errorf("an erasure: %s", got)
	}
}
