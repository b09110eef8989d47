package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// FollowOptions configures the measurement of followers.
type FollowOptions struct {
	Setup
	Over      []string      // transports of the followers: keys of followerOpeners
	Followers []int         // numbers of followers of the session, measured one after another
	Rate      int           // frames per second of the session
	For       time.Duration // duration of each measurement
	Loops     int           // busy loops during the measurements under load
	Profiles  string        // folder for profiles of the server's processor time; "" for none
}

// Following holds the delays of the followers of one session.
type Following struct {
	Over       string        `json:"over"` // transport of the followers
	Followers  int           `json:"followers"`
	Loops      int           `json:"loops"` // busy loops that ran meanwhile
	Sent       int           `json:"sent"`  // frames that were sent in the time
	Read       int           `json:"read"`  // frames that the followers read, of Followers × Sent
	Delay      Percentiles   `json:"delay"` // from before a frame is sent until a follower has read it
	Took       time.Duration `json:"took_ns"`
	Server     time.Duration `json:"server_cpu_ns"`
	ClickHouse time.Duration `json:"clickhouse_cpu_ns"` // including all other children of the server
	Clients    time.Duration `json:"clients_cpu_ns"`    // the sender and the followers
}

// PerThousand returns the processor time of the server for 1,000 frames that followers read.
func (f Following) PerThousand() time.Duration {
	return time.Duration(float64(f.Server) / float64(f.Read) * 1000)
}

// Follow measures how far followers are behind the sender of a session, with and without busy
// loops.
func Follow(ctx context.Context, o FollowOptions) (_ *FollowReport, err error) {
	r := &FollowReport{Environment: o.environment("follow"), Rate: o.Rate, For: o.For}
	server, err := startServer(ctx, o.Program, o.Dir, nil, "up", "--listen", "127.0.0.1:0", "--data",
		filepath.Join(o.Dir, "data"), "--pprof")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	for _, over := range o.Over {
		for _, loops := range []int{0, o.Loops} {
			for _, n := range o.Followers {
				f := Following{Over: over, Followers: n, Loops: loops, Took: o.For}
				o.Say(f.String() + " …")
				if err := o.measure(ctx, server, &f); err != nil {
					return nil, fmt.Errorf("%s: %w", f, err)
				}
				r.Runs = append(r.Runs, f)
			}
		}
	}
	r.Bars, r.Took = r.bars(), time.Since(r.When)
	return r, nil
}

// String names the measurement.
func (f Following) String() string {
	return fmt.Sprintf("%s, followers: %d, busy loops: %d", f.Over, f.Followers, f.Loops)
}

// Times of one measurement.
const (
	followBefore = 2 * time.Second // from the last follower's first frame to the measurement
	followLimit  = time.Minute     // for all beside the measurement itself
)

// measure records a session, follows it, and takes the delays for a time.
func (o *FollowOptions) measure(ctx context.Context, server *command, f *Following) (err error) {
	ctx, cancel := context.WithTimeout(ctx, o.For+followLimit)
	defer cancel()
	c, err := openConnections(ctx, server.url, fmt.Sprintf("follow-%s-%d-%d", f.Over, f.Loops, f.Followers), 1)
	if err != nil {
		return err
	}
	sender := &ratedSender{client: c.clients[0], gap: time.Second / time.Duration(o.Rate)}
	stopSender := sender.start(ctx)
	defer func() { err = errors.Join(err, stopSender(), c.close()) }()
	if err := sender.begun(ctx); err != nil {
		return err
	}
	all := make([]*timedFollower, f.Followers)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer cancel()
	for i := range all {
		if all[i], err = openFollower(ctx, f.Over, server.url, sender.session); err != nil {
			return err
		}
		reading.Go(all[i].run)
		defer func() { _ = all[i].close() }() // the server may have closed it
	}
	stopLoops, err := busyLoops(f.Loops, o.For+followLimit)
	if err != nil {
		return err
	}
	defer stopLoops()
	sleepUntil(time.Now().Add(followBefore))
	from := time.Now()
	begin := o.cpu(server)
	profiled := o.profile(ctx, server, f)
	sleepUntil(from.Add(o.For))
	to, end := time.Now(), o.cpu(server)
	f.Server, f.ClickHouse, f.Clients = end[0]-begin[0], end[1]-begin[1], end[2]-begin[2]
	stopLoops() // so that followers far behind read the frames of the time
	var delays []time.Duration
	for i, a := range all {
		d, err := a.between(ctx, from, to)
		if err != nil {
			return fmt.Errorf("follower %d: %w", i, err)
		}
		delays = append(delays, d...)
	}
	f.Sent, f.Read, f.Delay = sender.between(from, to), len(delays), percentiles(delays)
	if f.Read != f.Followers*f.Sent {
		return fmt.Errorf("the followers read %d frames of %d", f.Read, f.Followers*f.Sent)
	}
	return <-profiled
}

// cpu returns the processor times of the server, of its children and of this process.
func (o *FollowOptions) cpu(server *command) [3]time.Duration {
	own, _ := cpuOf(server.pid()) // none without /proc
	children, _ := cpuOf(descendants(server.pid())...)
	return [3]time.Duration{own, children, ownCPU()}
}

// profile writes a profile of the server's processor time during the measurement.
func (o *FollowOptions) profile(ctx context.Context, server *command, f *Following) <-chan error {
	done := make(chan error, 1)
	if o.Profiles == "" {
		done <- nil
		return done
	}
	go func() {
		text, err := server.read(ctx, fmt.Sprintf("/debug/pprof/profile?seconds=%d", max(int(o.For.Seconds())-1, 1)))
		if err == nil {
			name := fmt.Sprintf("%s-followers-%d-loops-%d.cpu", f.Over, f.Followers, f.Loops)
			err = os.WriteFile(filepath.Join(o.Profiles, name), text, 0o600)
		}
		done <- err
	}()
	return done
}

// ratedSender sends frames with the time at which they are sent, at an even rate.
type ratedSender struct {
	*client
	gap time.Duration

	mu    sync.Mutex // guards times
	times []int64    // when frames were sent, Unix time, ns
}

// start sends frames until stop is called, which returns the error of sending.
func (s *ratedSender) start(ctx context.Context) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	sending, answers := make(chan error, 1), make(chan struct{})
	conn := s.conn
	go func() { sending <- s.run(ctx) }()
	go func() {
		defer close(answers)
		for {
			if _, _, err := conn.Read(context.WithoutCancel(ctx)); err != nil {
				return // the connection was closed
			}
		}
	}()
	return func() error {
		cancel()
		err := <-sending
		if closed := s.conn.CloseNow(); err == nil {
			err = closed
		}
		s.conn = nil
		<-answers
		return err
	}
}

func (s *ratedSender) run(ctx context.Context) error {
	began := time.Now()
	for i := 0; ; i++ {
		if err := pause(ctx, time.Until(began.Add(time.Duration(i)*s.gap))); err != nil {
			return nil
		}
		now := time.Now().UnixNano()
		frame := fmt.Sprintf("%s%s%d}", strings.TrimSuffix(pacedFrame(s.session, i), "}"), sentField, now)
		if err := s.client.send(context.WithoutCancel(ctx), frame); err != nil {
			return err
		}
		s.mu.Lock()
		s.times = append(s.times, now)
		s.mu.Unlock()
	}
}

// between returns the number of frames that were sent between two times.
func (s *ratedSender) between(from, to time.Time) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.times {
		if at >= from.UnixNano() && at < to.UnixNano() {
			n++
		}
	}
	return n
}

// begun waits until some frames were sent.
func (s *ratedSender) begun(ctx context.Context) error {
	for s.between(time.Unix(0, 0), time.Now()) < 100 {
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// sentField precedes the time of sending in a frame.
const sentField = `,"sent":`

// timedFollower follows a session, and keeps when each frame was sent and read.
type timedFollower struct {
	next  func() ([]byte, error) // returns the next piece with at most one frame
	close func() error

	mu    sync.Mutex // guards the fields below
	sent  []int64    // Unix time, ns
	delay []time.Duration
	err   error
}

// followQuery asks for the frames that come from now on.
const followQuery = "follow=1&from=live"

// followerOpeners open followers by their transport.
var followerOpeners = map[string]func(ctx context.Context, server, session string) (*timedFollower, error){
	"sse":       followSSE,
	"ndjson":    followNDJSON,
	"websocket": followWebSocket,
}

func followSSE(ctx context.Context, server, session string) (*timedFollower, error) {
	l, err := openListener(ctx, server, session, followQuery)
	if err != nil {
		return nil, err
	}
	return &timedFollower{next: func() ([]byte, error) { return l.in.ReadSlice('\n') }, close: l.close}, nil
}

// plainClient asks for no compression, as the other followers.
var plainClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}

func followNDJSON(ctx context.Context, server, session string) (*timedFollower, error) {
	url := server + "/v1/sessions/" + session + "/replay?" + followQuery
	res, err := get(ctx, plainClient, url, "application/x-ndjson") //nolint:bodyclose // the follower's close closes it
	if err != nil {
		return nil, err
	}
	in, body := bufio.NewReader(res.Body), res.Body
	return &timedFollower{next: func() ([]byte, error) { return in.ReadSlice('\n') }, close: body.Close}, nil
}

func followWebSocket(ctx context.Context, server, session string) (*timedFollower, error) {
	url := "ws" + strings.TrimPrefix(server, "http") + "/v1/sessions/" + session + "/replay?" + followQuery
	conn, _, err := websocket.Dial(ctx, url, nil)
	if err != nil {
		return nil, err
	}
	buf := make([]byte, 64<<10)
	return &timedFollower{
		next: func() ([]byte, error) {
			_, message, err := conn.Reader(ctx)
			if err != nil {
				return nil, err
			}
			n, err := io.ReadFull(message, buf)
			if err == io.ErrUnexpectedEOF { // the message is shorter than buf
				err = nil
			}
			return buf[:n], err
		},
		close: conn.CloseNow,
	}, nil
}

// openFollower opens a follower as soon as the session is found.
func openFollower(ctx context.Context, over, server, session string) (*timedFollower, error) {
	for {
		f, err := followerOpeners[over](ctx, server, session)
		if err == nil {
			return f, nil
		}
		if !strings.Contains(err.Error(), strconv.Itoa(http.StatusNotFound)) { // JetStream has no block yet
			return nil, err
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

func (f *timedFollower) run() {
	for {
		line, err := f.next()
		now := time.Now()
		at := 0
		if err == nil {
			at = bytes.LastIndex(line, []byte(sentField))
		}
		if err == nil && at < 0 {
			continue
		}
		f.mu.Lock()
		if err != nil {
			f.err = err
			f.mu.Unlock()
			return
		}
		sent := int64(0)
		for _, digit := range line[at+len(sentField):] {
			if digit < '0' || digit > '9' {
				break
			}
			sent = 10*sent + int64(digit-'0')
		}
		f.sent, f.delay = append(f.sent, sent), append(f.delay, time.Duration(now.UnixNano()-sent))
		f.mu.Unlock()
	}
}

// between waits for a frame that was sent after to, and returns the delays of those between the
// times.
func (f *timedFollower) between(ctx context.Context, from, to time.Time) (delays []time.Duration, err error) {
	for {
		f.mu.Lock()
		n := len(f.sent)
		there := n > 0 && f.sent[n-1] > to.UnixNano()
		err := f.err
		f.mu.Unlock()
		if there {
			break
		}
		if err == nil {
			err = pause(ctx, 20*time.Millisecond)
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, sent := range f.sent {
		if sent >= from.UnixNano() && sent < to.UnixNano() {
			delays = append(delays, f.delay[i])
		}
	}
	return delays, nil
}

// busyLoops starts processes that compute without pause, until stop is called. Each ends after a
// limit of processor time.
func busyLoops(n int, most time.Duration) (stop func(), err error) {
	var all []*exec.Cmd
	stop = sync.OnceFunc(func() {
		for _, c := range all {
			_ = c.Process.Kill() // it may have ended
			_ = c.Wait()
		}
	})
	for range n {
		c := exec.Command("sh", "-c", fmt.Sprintf("ulimit -t %d; while :; do :; done", int(most.Seconds())+1))
		if err := c.Start(); err != nil {
			stop()
			return nil, fmt.Errorf("start a busy loop: %w", err)
		}
		all = append(all, c)
	}
	return stop, nil
}
