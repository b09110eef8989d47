package printers

import (
	"fmt"
	"io"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/file"
	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/internal/console"
)

// RecordedFile writes the result of one file, if several are recorded.
func RecordedFile(out io.Writer, path string, s *ingest.Summary, err error, result *knownrecordings.FileResult, frameClock bool) {
	w := console.To(out)
	switch {
	case result.Known != "":
		fmt.Fprintf(w, "known    %v\n", err)
		return
	case err != nil:
		fmt.Fprintf(w, "failed   %v\n", err)
	}
	if s.Frames == 0 {
		if err == nil {
			fmt.Fprintf(w, "recorded %s: nothing, no frame came\n", path)
		}
		return
	}
	where := "session " + s.Sessions[0]
	if s.SessionCount > 1 {
		where = fmt.Sprintf("%s sessions from %s to %s", console.Thousands(s.SessionCount), s.Sessions[0],
			s.LastSession)
	}
	fmt.Fprintf(w, "recorded %s: %s, %s, %s, %s\n", path, console.Count(s.Frames, "frame"),
		console.Count(s.Bytes, "byte"), s.Dialect, where)
	writeNotes(w, s, frameClock)
}

// RecordedFiles writes the result of all files. session is the value of --session.
func RecordedFiles(out io.Writer, t *knownrecordings.FilesResult, session string, all *file.Sources, took time.Duration) {
	w := console.To(out)
	fmt.Fprintf(w, "total    %s of %s recorded: %s, %s in %s\n", console.Thousands(t.Recorded),
		console.Count(t.Files, "file"),
		console.Count(t.Frames, "frame"), console.Count(t.Bytes, "byte"), console.Millis(took.Seconds()*1000))
	for _, n := range []struct {
		n         int
		one, what string
	}{
		{t.Known - t.Same, "file", knownWhere(t) + "; --again records once more"},
		{t.Same, "file", "with the bytes of another of these files; --again records once more"},
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
		if t.Streams == t.Files {
			fmt.Fprintf(w, "note     all of them are in session %s, a stream each\n", session)
		} else {
			fmt.Fprintf(w, "note     %s of %s recorded in session %s, a stream each\n", console.Thousands(t.Streams),
				console.Count(t.Files, "file"), session)
		}
		fmt.Fprintf(w, "next     tapedeck show %s\n", console.SessionWord(session))
	case t.Frames > 0:
		fmt.Fprintln(w, "next     tapedeck sessions")
	}
}

// knownWhere names the session of the files that were recorded before.
func knownWhere(t *knownrecordings.FilesResult) string {
	if t.Several {
		return fmt.Sprintf("recorded already, in session %s and others", t.KnownIn)
	}
	return "recorded already, in session " + t.KnownIn
}
