package logevents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// source makes a repository with one file of a package, and returns its folder.
func source(t *testing.T, body string) string {
	t.Helper()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "ingest/a"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "ingest/a/a.go"), []byte("package a\n"+body+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

// Read finds events wherever the logger is held, and joins the places that log the same one.
func TestRead(t *testing.T) {
	got, err := Read(source(t, `func f(log *slog.Logger, s *server, err error) {
		log.Info("a: first", "n", 1)
		s.opts.Log.WarnContext(ctx, "a: sec"+"ond", slog.String("x", "y"), "error", err)
		s.stage.Log().Error("b: third")
		log.Info("a: first", "m", 2)
		consumer.Info(ctx)
		http.Error(w, "no event", 500)
	}`))
	want := []Event{
		{"a: first", "info", []string{"m", "n"}, []string{"ingest/a"}},
		{"a: second", "warn", []string{"error", "x"}, []string{"ingest/a"}},
		{"b: third", "error", nil, []string{"ingest/a"}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// Code that logs what the reference could not list is refused with its place.
func TestRefused(t *testing.T) {
	for line, want := range map[string]string{
		`log.Info(text)`:                         "the message is not a constant string",
		`log.Info("a: " + text)`:                 "the message is not a constant string",
		`s.Log.Warn("a: b", key, 1)`:             "a constant key and a value",
		`s.Log.Warn("a: b", "key")`:              "a constant key and a value",
		`s.Log.Warn("a: b", args...)`:            "a constant key and a value",
		`s.Log.Warn("a: b", "key", args...)`:     "a constant key and a value",
		`log.Log(ctx, level, "a: b")`:            "Log: call Debug, Info, Warn or Error",
		`log.With("a", 1).Info("a: b")`:          "With: call Debug, Info, Warn or Error",
		`slog.NewLogLogger(h, level)`:            "use httplog.New",
		`slog.Info("a: b")`:                      "a logger of its own",
		`func(out *slog.Logger) {}(nil)`:         "the logger out must be called log or Log",
		`out.Info("a: b")`:                       "the logger out must be called log or Log",
		"log.Info(\"a: b\")\nlog.Warn(\"a: b\")": `"a: b" is logged with the level warn here and info elsewhere`,
	} {
		events, err := Read(source(t, "func f() {\n"+line+"\n}"))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "ingest/a/a.go:") {
			t.Errorf("%s: %v, %v; want %q", line, events, err, want)
		}
	}
}
