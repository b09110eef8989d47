package jetstream

import (
	"crypto/tls"
	"fmt"
	"log/slog"

	"github.com/nats-io/nats.go"

	"tapedeck/internal/certs"
)

// TLS holds the settings of encrypted connections to NATS. Empty settings are not used.
type TLS struct {
	// CA names the PEM file of the authorities that sign the servers' certificates, in place of the
	// system's authorities. Cert and Key name the files of the client's certificate and its key.
	CA, Cert, Key string
	ServerName    string // the name that the servers' certificates must have; "" for the host name of the address
}

// Options returns the options of a connection. If the files change, they are read again for the
// next connection. Changes and errors are logged to log.
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
