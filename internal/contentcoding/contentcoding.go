// Package contentcoding decompresses streams incrementally. A decoder is fed read by read, and
// after each read outputs all data that the bytes so far contain. So a source that flushes its
// compressor after each event is decoded event by event.
package contentcoding

import (
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
)

// Decoder decodes one body, or the messages of one direction of a WebSocket.
// It must be stopped. One goroutine at a time may use it.
type Decoder struct {
	source source
	next   func() (step, bool)
	stop   func()
	err    error // the final error, io.EOF for the regular end
}

// step is the result of a decoding step: data, a request for input, or the final error.
type step struct {
	data []byte
	err  error
}

var (
	errHungry  = errors.New("needs more")
	errStopped = errors.New("decoder was stopped")
	errExcess  = errors.New("more bytes after the end of the compressed body")
)

// pieceSize is the size of a decoder's output chunks, bytes.
const pieceSize = 16 << 10

// begin runs an io.Reader decoder as a coroutine, so that its input can be pushed: when it reads
// without available input, it yields until it is fed.
func begin(open func(*source) (io.Reader, func(), error)) *Decoder {
	d := &Decoder{}
	d.next, d.stop = iter.Pull(func(yield func(step) bool) {
		d.source.yield = yield
		r, release, err := open(&d.source)
		if err == nil {
			defer release()
		}
		buf := make([]byte, pieceSize)
		for err == nil {
			var n int
			n, err = r.Read(buf)
			if n > 0 && !d.source.emit(step{data: buf[:n]}) {
				return
			}
		}
		d.source.emit(step{err: err})
	})
	return d
}

// Decode decodes the bytes of one read and calls out with the decoded data, which is valid during
// that call. The first error of out ends Decode. An error in the compressed bytes is permanent: no
// data can be decoded after it.
func (d *Decoder) Decode(p []byte, out func([]byte) error) error {
	if d.err != nil {
		if len(p) == 0 {
			return nil
		}
		if d.err == io.EOF {
			d.err = errExcess
		}
		return d.err
	}
	d.source.in = p
	err := d.run(out)
	if d.err == io.EOF && len(d.source.in) > 0 {
		d.err = errExcess
		return d.err
	}
	return err
}

// End marks the end of the input, and calls out with the remaining data. It returns
// io.ErrUnexpectedEOF if the compressed body is incomplete.
func (d *Decoder) End(out func([]byte) error) error {
	d.source.ended = true
	if d.err == nil {
		if err := d.run(out); err != nil {
			return err
		}
	}
	if d.err == io.EOF {
		return nil
	}
	return d.err
}

// Stop releases the decoder's resources. It may be called more than once.
func (d *Decoder) Stop() { d.stop() }

func (d *Decoder) run(out func([]byte) error) error {
	for {
		s, ok := d.next()
		switch {
		case !ok:
			d.err = errStopped
			return d.err
		case s.err == nil:
			if err := out(s.data); err != nil {
				return err
			}
		case s.err == errHungry:
			return nil
		default:
			d.err = s.err
			if s.err == io.EOF {
				return nil
			}
			return s.err
		}
	}
}

// source is the input of a decoder.
type source struct {
	in      []byte // fed but not yet read
	ended   bool
	stopped bool
	yield   func(step) bool
}

// emit yields a step. It returns false if the decoder was stopped.
func (s *source) emit(st step) bool {
	if !s.stopped && !s.yield(st) {
		s.stopped = true
	}
	return !s.stopped
}

// wait returns once there are bytes to read.
func (s *source) wait() error {
	for len(s.in) == 0 {
		if s.stopped {
			return errStopped
		}
		if s.ended {
			return io.EOF
		}
		if !s.emit(step{err: errHungry}) {
			return errStopped
		}
	}
	return nil
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if err := s.wait(); err != nil {
		return 0, err
	}
	n := copy(p, s.in)
	s.in = s.in[n:]
	return n, nil
}

// ReadByte implements io.ByteReader, without which the inflaters would add a buffer of their own.
func (s *source) ReadByte() (byte, error) {
	if err := s.wait(); err != nil {
		return 0, err
	}
	b := s.in[0]
	s.in = s.in[1:]
	return b, nil
}

// unread puts bytes back before the remaining input.
func (s *source) unread(p []byte) { s.in = slices.Concat(p, s.in) }

// Known reports whether a Content-Encoding can be decoded: one coding, by its name in the IANA
// registry of content codings.
func Known(name string) bool { return openers[normal(name)] != nil }

// New returns a decoder of a body with a known Content-Encoding.
func New(name string) *Decoder { return begin(openers[normal(name)]) }

func normal(name string) string { return strings.ToLower(strings.TrimSpace(name)) }
