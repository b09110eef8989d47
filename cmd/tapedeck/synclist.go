package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"tapedeck/deploy/settings"
	"tapedeck/ingest/history"
	"tapedeck/ingest/outlet"
	"tapedeck/internal/console"
)

type syncList struct{ syncPlaces }

// Run lists what was found.
func (c *syncList) Run(ctx context.Context, g *global) error { return c.list(ctx, g, false) }

// listed is a file in the list.
type listed struct {
	Agent    history.Agent `json:"agent"`
	State    history.State `json:"state"`
	Size     int64         `json:"size"`
	Modified time.Time     `json:"modified"`
	Session  string        `json:"session"`
	Project  string        `json:"project"`
	Branch   string        `json:"branch"`
	Path     string        `json:"path"`
}

// list prints the files that were found, or with toRecord set those that would be recorded.
func (c *syncPlaces) list(ctx context.Context, g *global, toRecord bool) error {
	progress, err := c.readProgress(ctx, g)
	if err != nil {
		return err
	}
	found, err := history.Find(c.From)
	if err != nil {
		return err
	}
	progress.Plan(found)
	items := []listed{}
	for _, s := range found.Sources {
		if toRecord && !s.Pending() {
			continue
		}
		items = append(items, listed{s.Agent, s.State, s.Size, s.Modified, s.Session, s.Project, s.Branch, s.Path})
	}
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(map[string]any{"items": items, "next": nil, "problems": append([]history.Problem{}, found.Problems...)})
	}
	t := console.NewTable(os.Stdout, "agent", "state", "modified", "bytes", "session", "project", "branch", "file")
	for _, s := range items {
		t.Row(orDash(string(s.Agent)), s.State, console.LocalTime(s.Modified), console.Thousands(s.Size), orDash(console.Clip(s.Session, 40)), orDash(s.Project), orDash(s.Branch), s.Path)
	}
	if len(items) > 0 {
		if err := t.Flush(); err != nil {
			return err
		}
	}
	w := console.To(os.Stderr)
	printFound(w, found.Result())
	if toRecord {
		fmt.Fprintf(w, "would record %s\n", console.Count(len(items), "file"))
	}
	printProblems(w, found.Problems)
	return nil
}

// readProgress reads the progress for the tenant of the token.
func (c *syncPlaces) readProgress(ctx context.Context, g *global) (*history.Progress, error) {
	if err := checkStream(c.Tenant, "", ""); err != nil {
		return nil, err
	}
	if _, err := g.client(); err != nil { // reads the token
		return nil, err
	}
	if g.Token != "" {
		out, err := openOutlet(ctx, g, &settings.NATSClient{}, outlet.Options{NoSpool: true})
		if err != nil {
			return nil, err
		}
		defer out.Close()
		if err := checkTenant(out, &c.Tenant); err != nil {
			return nil, err
		}
	}
	home, err := outlet.SyncHome()
	if err != nil {
		return nil, err
	}
	return history.ReadProgress(home, g.Server, c.Tenant)
}

// printFound prints how many files were found, by agent.
func printFound(w io.Writer, res *history.Result) {
	if res.Files == 0 {
		fmt.Fprintln(w, "found    no session of a coding agent; name other folders with --from")
		return
	}
	by := ""
	for _, agent := range []history.Agent{history.ClaudeCode, history.Codex, history.GeminiCLI, history.OpenCode} {
		if n := res.Agents[agent]; n > 0 {
			by += fmt.Sprintf(", %s %s", console.Thousands(n), agent)
		}
	}
	fmt.Fprintf(w, "found    %s%s\n", console.Count(res.Files, "file"), by)
}

// printSync prints the result of a run.
func printSync(res *history.Result, took time.Duration, interrupted bool) {
	w := console.To(os.Stderr)
	printFound(w, res)
	fmt.Fprintf(w, "recorded %s, %s, %s in %s\n", console.Count(res.Recorded, "file"), console.Count(res.Frames, "frame"),
		console.Count(res.Bytes, "byte"), console.Millis(took.Seconds()*1000))
	for _, n := range []struct {
		n    int
		what string
	}{
		{res.States[history.StateStored], "unchanged since recorded"},
		{res.States[history.StateCopy], "whose lines are all in other files"},
		{res.States[history.StateEmpty], "without messages"},
		{res.States[history.StateDeleted], "of sessions that were deleted on the server"},
		{res.Waiting, "whose last line is half-written: the next sync records it"},
	} {
		if n.n > 0 {
			fmt.Fprintf(w, "note     %s %s\n", console.Count(n.n, "file"), n.what)
		}
	}
	if res.Copied > 0 {
		fmt.Fprintf(w, "note     %s also in other files: counted there\n", console.Count(res.Copied, "line"))
	}
	printProblems(w, res.Problems)
	if interrupted {
		fmt.Fprintln(w, "note     interrupted: the next sync records the rest")
	}
	if res.Recorded > 0 {
		fmt.Fprintln(w, "next     tapedeck sessions")
	}
}

// problemsShown bounds the paths that are named.
const problemsShown = 10

// printProblems prints what was skipped.
func printProblems(w io.Writer, list []history.Problem) {
	for i, p := range list {
		if i == problemsShown {
			fmt.Fprintf(w, "skipped  %s more; --json names all\n", console.Count(len(list)-i, "path"))
			return
		}
		fmt.Fprintf(w, "skipped  %s: %s\n", console.Visible(p.Path, ""), p.Reason)
	}
}
