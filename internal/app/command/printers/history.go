package printers

import (
	"fmt"
	"io"
	"time"

	"tapedeck/ingest/tap/agenthistory"
	"tapedeck/internal/console"
)

// Sync writes the result of a run.
func Sync(out io.Writer, res *agenthistory.Result, took time.Duration, interrupted bool) {
	w := console.To(out)
	printFound(w, res)
	fmt.Fprintf(w, "recorded %s, %s, %s in %s\n", console.Count(res.Recorded, "file"),
		console.Count(res.Frames, "frame"),
		console.Count(res.Bytes, "byte"), console.Millis(took.Seconds()*1000))
	for _, n := range []struct {
		n    int
		what string
	}{
		{res.States[agenthistory.StateStored], "unchanged since recorded"},
		{res.States[agenthistory.StateCopy], "whose lines are all in other files"},
		{res.States[agenthistory.StateEmpty], "without messages"},
		{res.States[agenthistory.StateDeleted], "of sessions that were deleted on the server"},
		{res.Waiting, "whose last line is half-written: the next sync records it"},
	} {
		if n.n > 0 {
			fmt.Fprintf(w, "note     %s %s\n", console.Count(n.n, "file"), n.what)
		}
	}
	if res.Copied > 0 {
		fmt.Fprintf(w, "note     %s also in other files: counted there\n", console.Count(res.Copied, "line"))
	}
	writeUnusedTimes(w, res.Misdated, res.CopiedTimes)
	printProblems(w, res.Problems)
	if interrupted {
		fmt.Fprintln(w, "note     interrupted: the next sync records the rest")
	}
	if res.Recorded > 0 {
		fmt.Fprintln(w, "next     tapedeck sessions")
	}
}

// SyncChanges writes what one poll of a watched history has recorded.
func SyncChanges(out io.Writer, res *agenthistory.Result) {
	w := console.To(out)
	if res.Recorded > 0 {
		fmt.Fprintf(w, "recorded %s of %s\n", console.Count(res.Frames, "frame"), console.Count(res.Recorded, "file"))
	}
	writeUnusedTimes(w, res.Misdated, res.CopiedTimes)
	printProblems(w, res.Problems)
}

// Sources writes the files of a history, and to notes how many were found and what was skipped. If
// toRecord is set, the list contains only the files that would be recorded.
func Sources(out, notes io.Writer, list []*agenthistory.Source, found *agenthistory.Found, toRecord bool) error {
	t := console.NewTable(out, "agent", "state", "modified", "bytes", "session", "project", "branch", "file")
	for _, s := range list {
		t.Row(OrDash(string(s.Agent)), s.State, console.LocalTime(s.Modified), console.Thousands(s.Size),
			OrDash(console.Clip(s.Session, 40)), OrDash(s.Project), OrDash(s.Branch), s.Path)
	}
	if len(list) > 0 {
		if err := t.Flush(); err != nil {
			return err
		}
	}
	w := console.To(notes)
	printFound(w, found.Result())
	if toRecord {
		fmt.Fprintf(w, "would record %s\n", console.Count(len(list), "file"))
	}
	printProblems(w, found.Problems)
	return nil
}

// printFound prints how many files were found, by agent.
func printFound(w io.Writer, res *agenthistory.Result) {
	if res.Files == 0 {
		fmt.Fprintln(w, "found    no session of a coding agent; name other folders with --from")
		return
	}
	by := ""
	for _, agent := range agenthistory.Agents {
		if n := res.Agents[agent]; n > 0 {
			by += fmt.Sprintf(", %s %s", console.Thousands(n), agent)
		}
	}
	fmt.Fprintf(w, "found    %s%s\n", console.Count(res.Files, "file"), by)
}

// problemsShown bounds the paths that are listed.
const problemsShown = 10

// printProblems prints what was skipped.
func printProblems(w io.Writer, list []agenthistory.Problem) {
	for i, p := range list {
		if i == problemsShown {
			fmt.Fprintf(w, "skipped  %s more; --json names all\n", console.Count(len(list)-i, "path"))
			return
		}
		what := "skipped"
		if p.Recorded {
			what = "note   "
		}
		fmt.Fprintf(w, "%s  %s: %s\n", what, console.Visible(p.Path, ""), p.Reason)
	}
}
