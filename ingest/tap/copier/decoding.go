package copier

import (
	"tapedeck/ingest"
	"tapedeck/internal/contentcoding"
	"tapedeck/schema"
)

// Decoding is a Framer whose input has a Content-Encoding: it splits the decoded bytes into frames.
// Undecodable bytes are a ReadError of a CodingError. Its memory is bounded by the decoder's
// window. The caller must call Stop.
type Decoding struct {
	name    string
	decoder *contentcoding.Decoder
	framer  ingest.Framer
	// Ratio bounds the ratio of decoded to encoded bytes, 0 for no bound. It is checked above
	// ingest.RatioFrom decoded bytes; beyond it decoding fails with an *ingest.LimitError.
	Ratio   int
	in, out uint64
}

var _ ingest.Framer = (*Decoding)(nil)

// NewDecoding returns a Decoding of an encoding that contentcoding.Known accepts. It passes the
// decoded bytes to a framer.
func NewDecoding(name string, c ingest.Framer) *Decoding {
	return &Decoding{name: name, decoder: contentcoding.New(name), framer: c}
}

// Split implements ingest.Framer.
func (d *Decoding) Split(p []byte, at int64, emit func(*schema.Frame) error) error {
	d.in += uint64(len(p))
	return d.decode(func(out func([]byte) error) error { return d.decoder.Decode(p, out) }, at, emit)
}

// End implements ingest.Framer. If the encoded bytes are truncated, it keeps what was decoded.
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
	var failed error // an error of the framer, not of the decoder
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
	return &ReadError{&CodingError{d.name, err}}
}

// CodingError reports bytes that cannot be decoded.
type CodingError struct {
	Coding string // the Content-Encoding
	Err    error
}

func (e *CodingError) Error() string { return "decode " + e.Coding + ": " + e.Err.Error() }

// Unwrap returns the error of the decoder.
func (e *CodingError) Unwrap() error { return e.Err }

// Stop releases the decoder.
func (d *Decoding) Stop() { d.decoder.Stop() }
