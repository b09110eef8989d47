package copier

import (
	"fmt"

	"tapedeck/ingest"
	"tapedeck/internal/contentcoding"
	"tapedeck/schema"
)

// Decoding is a Cutter that is fed bytes of a Content-Encoding: the frames are
// what they decode to. Bytes that cannot be decoded are a ReadError. It holds no
// more than the decoder's window. Stop must be called in the end.
type Decoding struct {
	name    string
	decoder *contentcoding.Decoder
	framer  ingest.Framer
	// Ratio bounds decoded bytes to encoded ones, from ingest.RatioFrom on: beyond it
	// decoding fails with an *ingest.LimitError; 0 for any.
	Ratio   int
	in, out uint64
}

var _ ingest.Framer = (*Decoding)(nil)

// NewDecoding decodes a known encoding (see coding.Known) for a framer.
func NewDecoding(name string, c ingest.Framer) *Decoding {
	return &Decoding{name: name, decoder: contentcoding.New(name), framer: c}
}

// Cut implements ingest.Framer.
func (d *Decoding) Split(p []byte, at int64, emit func(*schema.Frame) error) error {
	d.in += uint64(len(p))
	return d.decode(func(out func([]byte) error) error { return d.decoder.Decode(p, out) }, at, emit)
}

// End implements ingest.Framer. What was decoded is kept also if the encoded
// bytes end too soon.
func (d *Decoding) End(at int64, emit func(*schema.Frame) error) error {
	err := d.decode(d.decoder.End, at, emit)
	if err != nil && !isReadError(err) {
		return err
	}
	if failed := d.framer.End(at, emit); failed != nil {
		return failed
	}
	return err
}

func (d *Decoding) decode(run func(out func([]byte) error) error, at int64, emit func(*schema.Frame) error) error {
	var failed error // the framer, rather than the decoder
	err := run(func(p []byte) error {
		d.out += uint64(len(p))
		if d.Ratio > 0 && d.out > ingest.RatioFrom && d.out/uint64(d.Ratio) > d.in {
			failed = ingest.Exceeded("--max-body-ratio", "the body decodes to more than %d times its size", d.Ratio)
			return failed
		}
		failed = d.framer.Split(p, at, emit)
		return failed
	})
	if err == nil || failed != nil {
		return failed
	}
	return &ReadError{fmt.Errorf("decode %s: %w", d.name, err)}
}

// Stop gives back what the decoder holds.
func (d *Decoding) Stop() { d.decoder.Stop() }
