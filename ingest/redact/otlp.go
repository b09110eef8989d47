package redact

import (
	"tapedeck/internal/otlpwire"
	"tapedeck/schema"
)

// SetDialect states the dialect of the stream. In a stream of OTLP any frame that can be read as an
// export request is one; in others only a frame whose spans and log records are all valid.
func (m *Masker) SetDialect(name string) { m.otlp = name == "otlp" }

// pushOTLP processes a frame that is a binary export request of OTLP, and reports whether it is one.
// Each text of the request is masked by itself, since the message states the lengths of its texts.
func (m *Masker) pushOTLP(f *schema.Frame, pass func(*schema.Frame)) bool {
	masked, ok := otlpwire.MaskBinary(f.Raw, m.otlp, m.Text)
	if !ok {
		return false
	}
	if len(m.held) > 0 {
		m.Release(pass)
	}
	if len(masked) == 0 || &masked[0] != &f.Raw[0] {
		f.Raw, f.Cuts = masked, nil
		f.Flags |= schema.FlagRedacted
	}
	m.frame++
	pass(f)
	return true
}
