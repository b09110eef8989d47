package tabular

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Spool keeps the written bytes in memory, compressed, until they are copied. So a database
// statement ends without waiting for a slow client, and an error is known before the first byte of
// the answer is sent.
type Spool struct {
	kept    bytes.Buffer
	encoder *zstd.Encoder
}

// NewSpool returns an empty spool.
func NewSpool() (*Spool, error) {
	s := &Spool{}
	var err error
	s.encoder, err = zstd.NewWriter(&s.kept, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(1<<20))
	return s, err
}

// Write implements io.Writer.
func (s *Spool) Write(p []byte) (int, error) { return s.encoder.Write(p) }

// CopyTo closes the spool and writes its contents.
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
