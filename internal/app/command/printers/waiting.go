package printers

import (
	"fmt"
	"io"
	"time"

	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/internal/console"
)

// Waiting writes which data the server has received that cannot be read yet.
func Waiting(out io.Writer, w *knownrecordings.Waiting) {
	least := ""
	if w.More {
		least = "at least "
	}
	fmt.Fprintf(console.To(out), "waiting  %s%s of %s cannot be read yet: the server has them, and reports lack them until they are stored\n",
		least, console.Count(w.Frames, "frame"), console.Count(w.Streams, "stream"))
}

// WaitedInVain writes that the wait until a recording can be read was too short.
func WaitedInVain(out io.Writer, limit time.Duration) {
	fmt.Fprintf(console.To(out), "tapedeck: %v (--wait-limit) passed before all of the recording could be read, so the exit code is 1; "+
		"nothing is lost. A longer --wait-limit waits longer, --no-wait not at all\n", limit)
}

// MissingShards writes a note that the sessions of shards that are away are missing from an answer.
func MissingShards(out io.Writer, addresses string) {
	fmt.Fprintf(console.To(out), "note     the sessions on %s are missing: the shard is away\n", addresses)
}

// Incomplete writes a note that frames which were received are missing from an answer.
func Incomplete(out io.Writer, to time.Time, frames uint64, more bool) {
	least := ""
	if more {
		least = "at least "
	}
	fmt.Fprintf(console.To(out), "note     complete to %s: %s%s received since then wait to be stored, and are not counted\n",
		console.LocalTime(to), least, console.Count(frames, "frame"))
}
