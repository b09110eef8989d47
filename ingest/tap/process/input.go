package process

import (
	"io"
	"os"

	"tapedeck/ingest"
	"tapedeck/schema"
)

// inputPipe returns the ends of a pipe, of which the command reads one.
func inputPipe() (io.Reader, *os.File, error) {
	from, to, err := os.Pipe()
	return from, to, err
}

// forwardInput forwards the input to the command and closes the command's input at its end. If the
// command has closed its input, forwardInput closes from, so that the client's next write fails as
// it would without tapedeck.
//
// A read of from that waits when the command has ended goes on: the caller's process ends then.
func (r *running) forwardInput(from *os.File, waiting *backlog) {
	defer r.input.Close()
	buf := make([]byte, chunkSize)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			waiting.add(buf[:n], ingest.Now(), schema.Send)
			if _, err := r.input.Write(buf[:n]); err != nil {
				from.Close()
				return
			}
		}
		if err != nil {
			return
		}
	}
}
