package contentcoding

import (
	"bytes"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// maxWindow bounds the window of a zstd body, bytes: the limit that RFC 9659 sets for servers.
const maxWindow = 8 << 20

type opener = func(*source) (io.Reader, func(), error)

var openers = map[string]opener{
	"gzip": openGzip, "x-gzip": openGzip, "deflate": openDeflate, "zstd": openZstd, "br": openBrotli,
}

func nothing() {}

func openGzip(s *source) (io.Reader, func(), error) { return &members{source: s}, nothing, nil }

// members reads the members of a gzip body one after another. The multistream mode of gzip.Reader
// reads the next member before it returns the last bytes of the current one.
type members struct {
	source *source
	reader gzip.Reader
	inside bool
}

// Read implements io.Reader.
func (m *members) Read(p []byte) (int, error) {
	if !m.inside {
		if err := m.reader.Reset(m.source); err != nil {
			return 0, err
		}
		m.reader.Multistream(false)
		m.inside = true
	}
	n, err := m.reader.Read(p)
	if err == io.EOF {
		m.inside, err = false, nil
	}
	return n, err
}

// openDeflate accepts both formats called deflate: the zlib format, which RFC 9110, section
// 8.4.1.2, specifies, and the raw format that some servers send.
func openDeflate(s *source) (io.Reader, func(), error) {
	var head [2]byte
	if _, err := io.ReadFull(s, head[:]); err != nil {
		return nil, nil, err
	}
	s.unread(head[:])
	const method, deflated = 0x0f, 8
	if head[0]&method == deflated && (int(head[0])<<8|int(head[1]))%31 == 0 {
		r, err := zlib.NewReader(s)
		return r, nothing, err
	}
	return flate.NewReader(s), nothing, nil
}

// openZstd decodes in the caller's goroutine, which the coroutine requires.
func openZstd(s *source) (io.Reader, func(), error) {
	r, err := zstd.NewReader(s, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, nil, err
	}
	return r, r.Close, nil
}

func openBrotli(s *source) (io.Reader, func(), error) {
	return brotli.NewReader(s), nothing, nil
}

// MessageTail is the data that the sender of a permessage-deflate message removes from its end. A
// Decoder must be fed with it after each message (RFC 7692, section 7.2.2).
var MessageTail = []byte{0x00, 0x00, 0xff, 0xff}

// NewMessages returns a decoder of the messages of one direction of a WebSocket that negotiated
// permessage-deflate. Messages may refer to earlier ones, so all messages must be fed.
func NewMessages() *Decoder {
	return begin(func(s *source) (io.Reader, func(), error) {
		return &messages{source: s, inflater: flate.NewReader(s)}, nothing, nil
	})
}

// messages continues after a message that ends with a final block: the next message is a separate
// deflate stream, which still refers to earlier data.
type messages struct {
	source   *source
	inflater io.ReadCloser
	window   bytes.Buffer // the most recently decoded bytes
}

const windowSize = 32 << 10 // maximum distance of a deflate reference, bytes

// Read implements io.Reader.
func (m *messages) Read(p []byte) (int, error) {
	n, err := m.inflater.Read(p)
	m.window.Write(p[:n])
	if m.window.Len() > 2*windowSize {
		m.window.Next(m.window.Len() - windowSize)
	}
	if err == io.EOF {
		m.window.Next(max(0, m.window.Len()-windowSize))
		err = m.inflater.(flate.Resetter).Reset(m.source, m.window.Bytes())
	}
	return n, err
}
