package jetstream

import (
	"crypto/tls"
	"fmt"
	"log/slog"

	"github.com/nats-io/nats.go"

	"tapedeck/internal/certs"
)

// TLS are the settings of encrypted connections to NATS. Those that are "" are not used.
type TLS struct {
	// CA names the file (PEM) of the authorities of which the servers' certificates must be,
	// instead of the system's; Cert and Key hold the certificate that is shown, and its key.
	CA, Cert, Key string
	ServerName    string // the name that the servers' certificates must have, "" for the host name of the address
}

// Options returns the options of a connection. The files are read again for each connection
// that is opened after they changed. log receives what happens to them.
func (t TLS) Options(log *slog.Logger) ([]nats.Option, error) {
	if t == (TLS{}) {
		return nil, nil
	}
	options := []nats.Option{nats.Secure(&tls.Config{MinVersion: certs.Oldest, ServerName: t.ServerName})}
	if t.CA == "" && t.Cert == "" && t.Key == "" {
		return options, nil
	}
	files, err := certs.Open(certs.Files{Use: "nats", CA: t.CA, Cert: t.Cert, Key: t.Key}, log)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	var shown nats.TLSCertHandler
	if t.Cert != "" {
		shown = func() (tls.Certificate, error) { return *files.Certificate(), nil }
	}
	return append(options, nats.ClientTLSConfig(shown, files.RootCAs)), nil
}
