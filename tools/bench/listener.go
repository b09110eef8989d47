package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// listener is an SSE client of a playback that reads only the frames' ids, so that many listeners
// take little CPU time from the server.
type listener struct {
	conn net.Conn
	in   *bufio.Reader
}

// openListener requests a playback and reads the header of the answer.
func openListener(ctx context.Context, server, session, query string) (*listener, error) {
	u, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return nil, err
	}
	l := &listener{conn: conn, in: bufio.NewReaderSize(conn, 4<<10)}
	if err := l.ask(u.Host, session, query); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return l, nil
}

func (l *listener) ask(host, session, query string) error {
	_, err := fmt.Fprintf(l.conn, "GET /v1/sessions/%s/replay?%s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n\r\n", session, query, host)
	if err != nil {
		return err
	}
	for first := true; ; first = false {
		line, err := l.in.ReadSlice('\n')
		if err != nil {
			return fmt.Errorf("the head of the answer: %w", err)
		}
		if first && !bytes.HasPrefix(line, []byte("HTTP/1.1 200 ")) {
			return fmt.Errorf("play session %s: %s", session, line)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
	}
}

// arrival holds the time at which a frame was recorded, ns, and the time at which it arrived.
type arrival struct {
	recorded int64
	came     time.Time
}

// next waits for the next frame. It returns io.EOF after the end of the playback. The chunks of the
// body are cut between events, so that an id is at the beginning of a line.
func (l *listener) next() (arrival, error) {
	for {
		line, err := l.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			continue // the rest of a long line follows
		}
		if err != nil {
			return arrival{}, err
		}
		if id, ok := bytes.CutPrefix(line, []byte("id: ")); ok {
			now := time.Now()
			digits, _, _ := bytes.Cut(id, []byte("."))
			at, err := strconv.ParseInt(string(digits), 10, 64)
			return arrival{at, now}, err
		}
		if bytes.HasPrefix(line, []byte("event: end")) {
			return arrival{}, io.EOF
		}
	}
}

func (l *listener) close() error { return l.conn.Close() }

// lateness returns how much later frames arrived than by the schedule that the earliest of them
// sets.
func lateness(list []arrival) []time.Duration {
	if len(list) == 0 {
		return nil
	}
	late := make([]time.Duration, len(list))
	for i, a := range list {
		late[i] = a.came.Sub(list[0].came) - time.Duration(a.recorded-list[0].recorded)
	}
	least := slices.Min(late)
	for i := range late {
		late[i] -= least
	}
	return late
}

// downloadLines reads a whole playback over NDJSON at speed=max and counts its lines.
func downloadLines(ctx context.Context, server, session, query string) (Pass, error) {
	began := time.Now()
	res, err := get(ctx, http.DefaultClient, server+"/v1/sessions/"+session+"/replay?speed=max&"+query,
		"application/x-ndjson")
	if err != nil {
		return Pass{}, err
	}
	defer res.Body.Close()
	pass, err := countLines(res.Body)
	pass.Took = time.Since(began)
	return pass, err
}

// countLines reads to the end. It counts every line as a frame.
func countLines(r io.Reader) (pass Pass, err error) {
	buf := make([]byte, 256<<10)
	for {
		n, err := r.Read(buf)
		pass.Bytes += uint64(n)
		pass.Frames += uint64(bytes.Count(buf[:n], []byte("\n")))
		if err == io.EOF {
			return pass, nil
		}
		if err != nil {
			return pass, err
		}
	}
}
