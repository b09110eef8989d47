package settings

import (
	"crypto/tls"
	"log/slog"
	"net"

	"tapedeck/internal/certs"
	"tapedeck/internal/commandline"
)

// ServerTLS holds the settings for the certificate of a server and the certificates of its clients.
// The files are read again when they change.
type ServerTLS struct {
	TLSCert       string `help:"Certificate (PEM) of the server, followed by those of intermediate authorities: it answers with https and wss only." name:"tls-cert" env:"TAPEDECK_TLS_CERT" type:"path" placeholder:"FILE"`
	TLSKey        string `help:"Private key of --tls-cert." name:"tls-key" env:"TAPEDECK_TLS_KEY" type:"path" placeholder:"FILE"`
	TLSClientCA   string `help:"Authorities (PEM) of which every client must show a certificate." name:"tls-client-ca" env:"TAPEDECK_TLS_CLIENT_CA" type:"path" placeholder:"FILE"`
	TLSMinVersion string `help:"The oldest version of TLS to accept: 1.2 or 1.3." name:"tls-min-version" enum:"1.2,1.3" default:"1.2" env:"TAPEDECK_TLS_MIN_VERSION" placeholder:"V"`
}

// Certificates returns the TLS configuration, nil without a certificate.
func (f *ServerTLS) Certificates(log *slog.Logger) (*tls.Config, error) {
	if f.TLSCert == "" && f.TLSKey == "" {
		if f.TLSClientCA != "" {
			return nil, commandline.Errorf("--tls-client-ca goes with --tls-cert and --tls-key")
		}
		return nil, nil
	}
	oldest, err := certs.Version(f.TLSMinVersion)
	if err != nil {
		return nil, commandline.Errorf("--tls-min-version: %w", err)
	}
	files, err := certs.Open(certs.Files{Use: "server", Cert: f.TLSCert, Key: f.TLSKey, CA: f.TLSClientCA}, log)
	if err != nil {
		return nil, commandline.Errorf("--tls-cert, --tls-key, --tls-client-ca: %w", err)
	}
	return files.Server(oldest), nil
}

// WarnPlain logs a warning if tokens are sent over a network unencrypted, unless a proxy adds TLS.
func (f *ServerTLS) WarnPlain(l net.Listener, proxied bool, log *slog.Logger) {
	if a, ok := l.Addr().(*net.TCPAddr); !ok || a.IP.IsLoopback() || f.TLSCert != "" || proxied {
		return
	}
	log.Warn("server: tokens and recordings go over the network unencrypted: set --tls-cert and --tls-key, or "+
		"put a proxy with TLS in front and name its address by --public-url", "listen", l.Addr().String())
}
