package stdio

import (
	"bufio"
	"errors"
	"io"
	"time"
)

// lineLimit bounds a line of the client, bytes.
const lineLimit = 64 << 20

// line is a line of the client.
type line struct {
	text []byte
	at   time.Time // when it was complete
	long bool      // it is longer than lineLimit, and text is empty
	err  error     // of reading, instead of a line
}

// readLines sends the lines of the input up to its end, then closes the channel. It returns early
// when done is closed, but not from a pending read.
func readLines(in io.Reader, to chan<- line, done <-chan struct{}) {
	defer close(to)
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		var l line
		err := l.read(r)
		if len(l.text) > 0 || l.long || err != nil && err != io.EOF {
			if err != io.EOF {
				l.err = err
			}
			l.at = time.Now()
			select {
			case to <- l:
			case <-done:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// read reads a line.
func (l *line) read(r *bufio.Reader) error {
	for {
		piece, err := r.ReadSlice('\n')
		if l.long = l.long || len(l.text)+len(piece) > lineLimit; l.long {
			l.text = nil
		} else {
			l.text = append(l.text, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
