package tabular

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Spool keeps what is written, compressed, until it is copied. A statement of the database
// ends so without waiting for a slow client, and its errors come before the first byte.
type Spool struct {
	kept    bytes.Buffer
	encoder *zstd.Encoder
}

// NewSpool returns an empty spool.
func NewSpool() (*Spool, error) {
	s := &Spool{}
	var err error
	s.encoder, err = zstd.NewWriter(&s.kept, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	return s, err
}

// Write implements io.Writer.
func (s *Spool) Write(p []byte) (int, error) { return s.encoder.Write(p) }

// CopyTo ends the spool and writes what it has.
func (s *Spool) CopyTo(w io.Writer) error {
	if err := s.encoder.Close(); err != nil {
		return err
	}
	d, err := zstd.NewReader(&s.kept, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(1<<20))
	if err != nil {
		return err
	}
	defer d.Close()
	_, err = io.Copy(w, d)
	return err
}
