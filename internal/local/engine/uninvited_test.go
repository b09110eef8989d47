package engine

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"
)

// Whoever reaches the port must not get in, and must not get the engine to end.
func TestUninvitedVisitors(t *testing.T) {
	s := start(t, Options{})
	pid := s.Health().PID
	address := s.Health().Address
	good, err := url.Parse(s.DSN())
	must(t, err)

	send := func(text string) func(*testing.T) {
		return func(t *testing.T) {
			visitor, err := net.Dial("tcp", address)
			must(t, err)
			defer visitor.Close()
			_, err = io.WriteString(visitor, text)
			must(t, err)
			visitor.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
			// Whatever it answers: what counts is that it lives.
			io.Copy(io.Discard, visitor)
		}
	}
	login := func(user *url.Userinfo, database string, code int) func(*testing.T) {
		return func(t *testing.T) {
			dsn := *good
			dsn.User, dsn.Path = user, "/"+database
			err := connect(t, dsn.String()).Exec(t.Context(), "SELECT 1")
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("code: %d,", code)) {
				t.Errorf("got %v, want code %d", err, code)
			}
		}
	}
	visits := []struct {
		name  string
		visit func(*testing.T)
	}{
		{"nothing", send("")},
		{"a byte", send("\n")},
		{"HTTP", send("GET / HTTP/1.1\r\n\r\n")},
		{"half a hello", send("\x00\x05")},
		{"wrong password", login(url.UserPassword(User, "wrong"), "default", 516)},
		{"no password", login(url.User(User), "default", 516)},
		{"no such user", login(url.UserPassword("somebody", ""), "default", 516)},
		{"no such database", login(good.User, "nowhere", 81)},
		// The user of the engine's own session, which has no password.
		{"default", login(url.UserPassword("default", ""), "default", 700)},
		{"default again", login(url.UserPassword("default", ""), "system", 700)},
	}
	for _, v := range visits {
		t.Run(v.name, v.visit)
	}
	// An engine that aborts takes its time to write down why; its port is open
	// meanwhile.
	time.Sleep(time.Second) // no condition: an abort would show within this time
	must(t, connect(t, s.DSN()).Ping(t.Context()))
	if h := s.Health(); h.PID != pid || h.Restarts != 0 || h.LastError != "" {
		t.Errorf("the engine was restarted: %+v", h)
	}
}

func TestUserReadsNothingButTables(t *testing.T) {
	s := start(t, Options{})
	c := connect(t, s.DSN())
	for _, query := range []string{
		"SELECT * FROM file('/etc/hostname', 'LineAsString')",
		"SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
		"SELECT * FROM remote('127.0.0.1', 'system.one')",
		"INSERT INTO FUNCTION file('/tmp/x.tsv', 'TSV', 'a UInt8') VALUES (1)",
	} {
		if err := c.Exec(t.Context(), query); err == nil || !strings.Contains(err.Error(), "code: 497,") {
			t.Errorf("%s: %v, want code 497", query, err)
		}
	}
	must(t, c.Exec(t.Context(), "CREATE DATABASE other"))
	must(t, c.Exec(t.Context(), "CREATE TABLE other.t (a UInt64) ENGINE = MergeTree ORDER BY a"))
	must(t, c.Exec(t.Context(), "DROP DATABASE other SYNC"))
}
