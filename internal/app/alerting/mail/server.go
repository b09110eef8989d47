package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	netmail "net/mail"
	"net/url"
	"strconv"

	gomail "github.com/wneessen/go-mail"
)

// server is how messages are handed to a mail server.
type server struct {
	host     string
	port     int
	security security
	user     string
}

type security int

const (
	startTLS    security = iota // mandatory
	implicitTLS                 // from the first byte
	plaintext
)

var errServer = errors.New("it must be a URL such as smtp://user@mail.example.com:587 (STARTTLS), smtps://mail.example.com or " +
	"smtp://127.0.0.1:25?tls=off, without a password")

// parseServer reads the URL of a mail server.
func parseServer(raw string) (server, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || u.Fragment != "" || u.Path != "" && u.Path != "/" {
		return server{}, errServer
	}
	s := server{host: u.Hostname(), user: u.User.Username()}
	if _, has := u.User.Password(); has {
		return server{}, errServer
	}
	switch {
	case u.Scheme == "smtps" && u.RawQuery == "":
		s.security, s.port = implicitTLS, gomail.DefaultPortSSL
	case u.Scheme == "smtp" && u.RawQuery == "":
		s.security, s.port = startTLS, gomail.DefaultPortTLS
	case u.Scheme == "smtp" && u.RawQuery == "tls=off":
		s.security, s.port = plaintext, gomail.DefaultPort
		if s.user != "" {
			return server{}, errors.New("a user and tls=off do not go together: the password would be sent unencrypted")
		}
	default:
		return server{}, errServer
	}
	if p := u.Port(); p != "" {
		if s.port, err = strconv.Atoi(p); err != nil || s.port < 1 || s.port > 65535 {
			return server{}, errServer
		}
	}
	return s, nil
}

// parseAddress reads the address of a mailbox without a name.
func parseAddress(raw string) (string, error) {
	a, err := netmail.ParseAddress(raw)
	if err != nil || a.Address != raw {
		return "", errors.New("it must be the address of a mailbox, such as alerts@example.com")
	}
	return raw, nil
}

// mostRead bounds what is read from a mail server for one message, bytes.
const mostRead = 1 << 20

var errTooMuch = errors.New("the mail server sent more than 1 MiB for one message")

// boundedConn is a connection that ends with a context, and from which at most mostRead bytes are read.
type boundedConn struct {
	net.Conn
	left int
	stop func() bool
}

func (c *boundedConn) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, errTooMuch
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

func (c *boundedConn) Close() error {
	c.stop()
	return c.Conn.Close()
}

// dialer returns the function that connects to the server. Its connections end with ctx.
func (s *server) dialer(ctx context.Context, config *tls.Config) gomail.DialContextFunc {
	return func(dialing context.Context, network, address string) (net.Conn, error) {
		plain, err := new(net.Dialer).DialContext(dialing, network, address)
		if err != nil {
			return nil, err
		}
		c := &boundedConn{Conn: plain, left: mostRead, stop: context.AfterFunc(ctx, func() { _ = plain.Close() })}
		if s.security != implicitTLS {
			return c, nil
		}
		encrypted := tls.Client(c, config)
		if err := encrypted.HandshakeContext(dialing); err != nil {
			return nil, errors.Join(err, c.Close())
		}
		return encrypted, nil
	}
}
