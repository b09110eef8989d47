package printers

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/agenthistory"
	"tapedeck/ingest/tap/natstap"
	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/internal/console"
	"tapedeck/internal/wellformed"
)

// Recording writes the result of a recording.
func Recording(out io.Writer, s *ingest.Summary, took time.Duration, frameClock bool) {
	w := console.To(out)
	if s.Frames == 0 {
		fmt.Fprintln(w, "recorded nothing: no frame came")
		return
	}
	rate := ""
	if perSecond := float64(s.Frames) / took.Seconds(); perSecond >= 1000 {
		rate = fmt.Sprintf(" (%s/s)", console.Count(int64(perSecond), "frame"))
	}
	fmt.Fprintf(w, "recorded %s, %s in %s%s\n", console.Count(s.Frames, "frame"), console.Count(s.Bytes, "byte"),
		console.Millis(took.Seconds()*1000), rate)
	fmt.Fprintf(w, "stream   %s\n", s.StreamID)
	switch {
	case s.SessionCount == 1:
		fmt.Fprintf(w, "session  %s\n", s.Sessions[0])
	case s.SessionCount > 1:
		fmt.Fprintf(w, "sessions %s, from %s to %s\n", console.Thousands(s.SessionCount), s.Sessions[0], s.LastSession)
	}
	fmt.Fprintf(w, "dialect  %s (%s)\n", s.Dialect, s.Evidence)
	if s.Timed {
		fmt.Fprintln(w, "times    from the frames; --clock arrival takes those of the recording instead")
	}
	writeNotes(w, s, frameClock)
	if s.SessionCount > 0 {
		fmt.Fprintf(w, "next     tapedeck show %s\n", console.SessionWord(s.Sessions[0]))
	}
}

// Signal writes that a recorded command was ended by a signal.
func Signal(out io.Writer, name string) {
	fmt.Fprintf(console.To(out), "note     the command was ended by a signal: %s\n", name)
}

// Bounds of Buffered.
const (
	bufferedAfter  = time.Second // a shorter command may print all at once
	bufferedFrames = 3
	bufferedRate   = 1000 // frames per second; at higher rates frames share reads in any case
)

// Buffered writes a note if most of a command's frames arrived together with others, as those of a
// program do that buffers its output: their times are those at which the buffer was written.
func Buffered(out io.Writer, s *ingest.Summary, took time.Duration) {
	if took < bufferedAfter || s.Frames < bufferedFrames || 2*s.Joined < s.Frames || float64(s.Frames) > bufferedRate*took.Seconds() {
		return
	}
	fmt.Fprintf(console.To(out), "note     %s of %s arrived together with the frame before, and have its time: the program "+
		"buffers its output; run it with python -u, stdbuf -oL or the like, or record it with --pty\n",
		console.Thousands(s.Joined), console.Count(s.Frames, "frame"))
}

// NATSRecording writes the result of recording NATS messages.
func NATSRecording(out io.Writer, r *natstap.Result, took time.Duration) {
	w := console.To(out)
	if r.Messages == 0 {
		fmt.Fprintln(w, "recorded nothing: no message came")
	} else {
		fmt.Fprintf(w, "recorded %s, %s in %s\n", console.Count(r.Messages, "message"),
			console.Count(r.Bytes, "byte"), console.Millis(took.Seconds()*1000))
	}
	switch {
	case len(r.Sessions) == 1:
		fmt.Fprintf(w, "session  %s\n", r.Sessions[0])
	case len(r.Sessions) > 1:
		fmt.Fprintf(w, "sessions %s or more, the first %s\n", console.Thousands(len(r.Sessions)), r.Sessions[0])
	}
	for _, n := range []struct {
		n         uint64
		one, what string
	}{
		{r.Dropped, "message", "dropped because recording was too slow for the subject; a JetStream stream (--nats-stream) waits for the recorder"},
		{r.Removed, "message", "removed from the JetStream stream before they were recorded, or of other subjects"},
		{r.Lost, "time", "without a connection to NATS"},
		{r.Skipped, "message", "of tapedeck and of NATS itself, which are not recorded"},
		{r.Evicted, "stream", "ended since more subjects had messages than --nats-open-subjects"},
		{r.Deleted, "message", "of deleted sessions, which are not recorded"},
	} {
		if n.n > 0 {
			fmt.Fprintf(w, "note     %s %s\n", console.Count(n.n, n.one), n.what)
		}
	}
	if len(r.Sessions) > 0 {
		fmt.Fprintf(w, "next     tapedeck show %s\n", console.SessionWord(r.Sessions[0]))
	}
}

// Known writes which session contains the bytes of a source.
func Known(out io.Writer, e *knownrecordings.KnownError) {
	w := console.To(out)
	fmt.Fprintf(w, "%s\n", e)
	fmt.Fprintf(w, "stream   %s\n", e.Stored.Stream.ID)
	fmt.Fprintf(w, "next     tapedeck show %s, or record them once more with --again\n",
		console.SessionWord(e.Stored.SessionID))
}

// Stored writes that all of a transcript is recorded.
func Stored(out io.Writer, e *agenthistory.StoredError) {
	w := console.To(out)
	fmt.Fprintf(w, "%s\n", e)
	fmt.Fprintf(w, "next     tapedeck show %s, or record it once more with --again\n", console.SessionWord(e.Session))
}

// writeNotes prints notes on frames of the summary that need attention.
func writeNotes(w io.Writer, s *ingest.Summary, frameClock bool) {
	if n := s.Counters.NotJSON; n > 0 {
		fmt.Fprintf(w, "note     %s not JSON\n", AreFrames(n))
	}
	if n := s.Counters.InvalidUTF8; n > 0 {
		fmt.Fprintf(w, "note     %s not UTF-8\n", AreFrames(n))
	}
	for _, n := range []struct {
		n         uint64
		one, what string
	}{
		{s.BadChecksum, "frame", "that fails its checksum: it was damaged before it was recorded"},
		{s.TooDeep, "frame", fmt.Sprintf("nested too deep to be decoded (more than %d levels)", wellformed.MaxDepth)},
		{s.Counters.Oversize, "frame", "of a message over the frame limit, which is kept in pieces and not decoded"},
		{s.Counters.Unknown, "frame", "of a type that the dialect does not know"},
		{s.Counters.Lost, "frame", "lost at the source (gaps in its ids)"}, {s.Counters.Repeated, "id", "came twice"},
		{s.Counters.Back, "id", "went back"},
	} {
		if n.n > 0 {
			fmt.Fprintf(w, "note     %s %s\n", console.Count(n.n, n.one), n.what)
		}
	}
	if len(s.Redacted) > 0 {
		fmt.Fprintf(w, "note     secrets were masked: %s\n", redactedRules(s.Redacted))
	}
	writeUnusedTimes(w, s.Misdated, s.CopiedTimes)
	if frameClock && !s.Timed {
		fmt.Fprintln(w, "note     no frame has a time, or none of the first ones: each keeps the time at which it arrived")
	}
}

// writeUnusedTimes prints how many frames do not have the times that they state.
func writeUnusedTimes(w io.Writer, misdated, copied uint64) {
	if misdated > 0 {
		fmt.Fprintf(w, "note     %s with times that run backwards or are out of range: each arrived with the frame before it\n", console.Count(misdated, "frame"))
	}
	if copied > 0 {
		fmt.Fprintf(w, "note     %s written once more, with the times of the first time: each arrived with the frame before it\n", console.Count(copied, "frame"))
	}
}

// redactedRules lists how many secrets each rule has masked.
func redactedRules(counts map[string]uint64) string {
	list := make([]string, 0, len(counts))
	for _, id := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, fmt.Sprintf("%d × %s", counts[id], id))
	}
	return strings.Join(list, ", ")
}
