package tenants

import (
	"io"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// statements passes connections on to ClickHouse and keeps the statements that are sent.
type statements struct {
	listener net.Listener
	running  sync.WaitGroup
	mu       sync.Mutex // guards what follows
	sent     []byte
	conns    []net.Conn
}

// watchStatements returns a DSN that leads to ClickHouse through the watcher.
func watchStatements(t *testing.T, dsn string) (*statements, string) {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	to := u.Host
	s := &statements{}
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	s.running.Go(func() {
		for {
			conn, err := s.listener.Accept()
			if err != nil {
				return
			}
			s.running.Go(func() { s.pass(conn, to) })
		}
	})
	t.Cleanup(func() {
		_ = s.listener.Close()
		s.mu.Lock()
		for _, c := range s.conns {
			_ = c.Close()
		}
		s.mu.Unlock()
		s.running.Wait()
	})
	u.Host = s.listener.Addr().String()
	return s, u.String()
}

func (s *statements) pass(conn net.Conn, to string) {
	server, err := net.Dial("tcp", to)
	if err != nil {
		_ = conn.Close()
		return
	}
	s.mu.Lock()
	s.conns = append(s.conns, conn, server)
	s.mu.Unlock()
	s.running.Go(func() {
		_, _ = io.Copy(conn, server)
		_ = conn.Close()
	})
	_, _ = io.Copy(server, io.TeeReader(conn, s))
	_ = server.Close()
}

// Write keeps what a client has sent.
func (s *statements) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, p...)
	return len(p), nil
}

// A statement is in its packet as it is, not compressed.
var statement = regexp.MustCompile(`(?:SELECT|WITH|INSERT|ALTER|DELETE|SYSTEM)[\t\n\x20-\x7e]{12,}`)

// parameter is the name of a parameter after a statement, if the byte of its length is a tab or
// a line feed. Parameters are sent in any order.
var parameter = regexp.MustCompile(`[\t\n][a-z_]*$`)

// take returns the statements that were sent since the last call, sorted, without ids.
func (s *statements) take(ids ...string) []string {
	s.mu.Lock()
	sent := string(s.sent)
	s.sent = nil
	s.mu.Unlock()
	for _, id := range ids {
		sent = strings.ReplaceAll(sent, id, "ID")
	}
	list := statement.FindAllString(sent, -1)
	for i := range list {
		list[i] = strings.TrimSpace(parameter.ReplaceAllString(list[i], ""))
	}
	slices.Sort(list)
	return list
}

// common returns what is in both sorted lists, as often as in both.
func common(a, b []string) (both []string) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch strings.Compare(a[i], b[j]) {
		case 0:
			both = append(both, a[i])
			i, j = i+1, j+1
		case -1:
			i++
		default:
			j++
		}
	}
	return both
}
