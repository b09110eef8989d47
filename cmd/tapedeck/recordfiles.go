package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/file"
	"tapedeck/ingest/outlet"
	"tapedeck/internal/console"
)

// fileResult is the result of recording one of several files, a line of --json.
type fileResult struct {
	File string `json:"file"`
	*ingest.Summary
	Known string `json:"known,omitempty"` // the session, or the file, that has the same bytes
	Error string `json:"error,omitempty"`
}

// filesResult is the result of all of them, the last line of --json.
type filesResult struct {
	Files    int    `json:"files"`
	Recorded int    `json:"recorded"`
	Empty    int    `json:"empty"` // without a frame: nothing was recorded
	Known    int    `json:"known"`
	Failed   int    `json:"failed"`
	Left     int    `json:"left"` // not begun because of an interrupt
	Frames   uint64 `json:"frames"`
	Bytes    uint64 `json:"bytes"`

	same    int    // of Known, those with the bytes of another of the files
	knownIn string // the session of the others, the first of several
	several bool
	streams int // files of which frames were recorded
}

// recordFiles records several files one after the other, each as a stream. One that
// fails does not stop those after it, but makes the exit code 1.
func (c *recordCommand) recordFiles(ctx context.Context, g *global, out *outlet.Outlet, rec *ingest.Recorder, opts ingest.StreamOptions, all *file.Sources) error {
	began := time.Now()
	total := filesResult{Files: len(all.List)}
	own := file.Digests{}
	var recorded []ingest.Summary // the fields that waitAllReadable needs
	for i, source := range all.List {
		if ctx.Err() != nil {
			total.Left = len(all.List) - i
			break
		}
		sum, err := ingest.Summary{}, source.Err
		if err == nil {
			sum, err = c.tapFile(ctx, fmt.Sprintf("%d/%d %s: ", i+1, len(all.List), source.Path), source.Path, own.Check(source.Path, c.Again, c.lookUp(ctx, g, source.Path)), rec, opts)
		}
		if err := total.add(g, source.Path, &sum, err, opts.FrameClock); err != nil {
			return err
		}
		if sum.Frames > 0 {
			recorded = append(recorded, ingest.Summary{StreamID: sum.StreamID, Sessions: sum.Sessions[:min(1, len(sum.Sessions))], LastSession: sum.LastSession})
		}
	}
	err := drain(context.WithoutCancel(ctx), out)
	if err == nil && !c.NoWait && c.NATS == "" {
		waitAllReadable(ctx, g, recorded)
	}
	code := total.report(g, c.Session, all, time.Since(began))
	if err != nil {
		return err
	}
	return code
}

// add counts a file, and prints its result.
func (t *filesResult) add(g *global, path string, s *ingest.Summary, err error, frameClock bool) error {
	result := fileResult{File: path, Summary: s}
	known, isKnown := errors.AsType[*knownError](err)
	same, isSame := errors.AsType[*file.SameBytesError](err)
	t.Frames += s.Frames
	t.Bytes += s.Bytes
	if s.Frames > 0 {
		t.streams++
	}
	switch {
	case isKnown:
		t.Known++
		t.several = t.several || t.knownIn != "" && t.knownIn != known.stored.SessionID
		t.knownIn = cmp.Or(t.knownIn, known.stored.SessionID)
		result.Summary, result.Known = nil, known.stored.SessionID
	case isSame:
		t.Known++
		t.same++
		result.Summary, result.Known = nil, same.First
	case err != nil:
		t.Failed++
		result.Error = err.Error()
		if s.StreamID == "" {
			result.Summary = nil
		}
	case s.Frames == 0:
		t.Empty++
	default:
		t.Recorded++
	}
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(result)
	}
	w := console.To(os.Stderr)
	switch {
	case isKnown, isSame:
		fmt.Fprintf(w, "known    %v\n", err)
		return nil
	case err != nil:
		fmt.Fprintf(w, "failed   %v\n", err)
	}
	if s.Frames == 0 {
		if err == nil {
			fmt.Fprintf(w, "recorded %s: nothing, no frame came\n", path)
		}
		return nil
	}
	where := "session " + s.Sessions[0]
	if s.SessionCount > 1 {
		where = fmt.Sprintf("%s sessions from %s to %s", console.Thousands(s.SessionCount), s.Sessions[0], s.LastSession)
	}
	fmt.Fprintf(w, "recorded %s: %s, %s, %s, %s\n", path, console.Count(s.Frames, "frame"), console.Count(s.Bytes, "byte"), s.Dialect, where)
	writeNotes(w, s, frameClock)
	return nil
}

// report prints the result of all files. It returns the exit code as an error if not
// all of them were recorded.
func (t *filesResult) report(g *global, session string, all *file.Sources, took time.Duration) error {
	if g.JSON {
		if err := json.NewEncoder(os.Stdout).Encode(t); err != nil {
			return err
		}
	} else {
		w := console.To(os.Stderr)
		fmt.Fprintf(w, "total    %s of %s recorded: %s, %s in %s\n", console.Thousands(t.Recorded), console.Count(t.Files, "file"),
			console.Count(t.Frames, "frame"), console.Count(t.Bytes, "byte"), console.Millis(took.Seconds()*1000))
		for _, n := range []struct {
			n         int
			one, what string
		}{
			{t.Known - t.same, "file", t.where() + "; --again records once more"},
			{t.same, "file", "with the bytes of another of these files; --again records once more"},
			{t.Empty, "file", "without a frame, of which nothing was recorded"}, {t.Failed, "file", "failed"},
			{t.Left, "file", "not begun when this was interrupted"},
			{all.LeftOut, "file", "of folders left out, whose names end otherwise"},
			{all.NoFiles, "item", "in folders left out: links to folders, broken links or special files"},
		} {
			if n.n > 0 {
				fmt.Fprintf(w, "note     %s %s\n", console.Count(n.n, n.one), n.what)
			}
		}
		switch {
		case session != "" && t.Frames > 0:
			if t.streams == t.Files {
				fmt.Fprintf(w, "note     all of them are in session %s, a stream each\n", session)
			} else {
				fmt.Fprintf(w, "note     %s of %s recorded in session %s, a stream each\n", console.Thousands(t.streams), console.Count(t.Files, "file"), session)
			}
			fmt.Fprintf(w, "next     tapedeck show %s\n", console.SessionWord(session))
		case t.Frames > 0:
			fmt.Fprintln(w, "next     tapedeck sessions")
		}
	}
	if t.Failed+t.Left > 0 {
		return exitCode(exitFailed)
	}
	return nil
}

// where names the session of the files that were recorded before.
func (t *filesResult) where() string {
	if t.several {
		return fmt.Sprintf("recorded already, in session %s and others", t.knownIn)
	}
	return "recorded already, in session " + t.knownIn
}
