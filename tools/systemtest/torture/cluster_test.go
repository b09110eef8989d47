package torture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/local/engine"
)

// sinks is how many run side by side.
const sinks = 2

// natsToken is what the parts show to NATS: it has to stay the same when NATS is
// started again.
const natsToken = "torture"

// cluster is all parts, each in its own process.
type cluster struct {
	dir     string
	program string // tapedeck

	engine *engine.Server
	broker *process
	ingest *process
	api    *process
	sinks  []*process

	natsWire   *wire // from the parts to NATS
	tableWire  *wire // from the sinks to ClickHouse
	ingestWire *wire // from the sources to the ingest server
	natsDisk   *disk
	spoolDisk  *disk

	ingestURL, apiURL string
	sinkURLs          []string

	users string                            // ClickHouse's users.xml as it wrote it; "" as long as it was not read
	undo  []func(ctx context.Context) error // ends what ClickHouse refuses
}

const (
	natsRoom  = 512 << 20
	spoolRoom = 64 << 20
)

// startCluster starts all parts beside ClickHouse; dir is theirs, and gone with
// them. spool is the room for the spool, bytes.
func startCluster(ctx context.Context, dir, program string, tables *engine.Server, spool int64) (_ *cluster, err error) {
	c := &cluster{dir: dir, program: program, engine: tables}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	if c.natsDisk, err = newDisk(filepath.Join(dir, "nats"), natsRoom); err != nil {
		return c, err
	}
	if c.spoolDisk, err = newDisk(filepath.Join(dir, "ingest"), spool); err != nil {
		return c, err
	}
	addrs, release := reserveAddrs(3 + sinks)
	defer release()
	natsAddr, ingestAddr, apiAddr := addrs[0], addrs[1], addrs[2]
	if c.natsWire, err = newWire(natsAddr); err != nil {
		return c, err
	}
	if c.tableWire, err = newWire(c.engine.Health().Address); err != nil {
		return c, err
	}
	if c.ingestWire, err = newWire(ingestAddr); err != nil {
		return c, err
	}
	c.ingestURL, c.apiURL = "http://"+c.ingestWire.addr(), "http://"+apiAddr
	c.broker = &process{name: "nats", start: func() *exec.Cmd { return brokerCommand(c.natsDisk.dir, natsAddr) }}
	serve := func(role, dsn, listen string, args ...string) func() *exec.Cmd {
		return func() *exec.Cmd {
			args := append([]string{"serve", "--role", role, "--listen", listen, "--nats", "nats://" + natsToken + "@" + c.natsWire.addr(),
				"--clickhouse", dsn, "--max-bytes", fmt.Sprint(natsRoom / 2)}, args...)
			return exec.Command(c.program, args...)
		}
	}
	c.ingest = &process{name: "ingest", start: serve("ingest", c.dsn(), ingestAddr, "--data", c.spoolDisk.dir)}
	c.api = &process{name: "api", start: serve("api", c.dsn(), apiAddr, "--data", filepath.Join(dir, "api"))}
	for i, addr := range addrs[3:] {
		c.sinkURLs = append(c.sinkURLs, "http://"+addr)
		c.sinks = append(c.sinks, &process{name: fmt.Sprint("sink ", i), start: serve("sink", c.writerDSN(), addr, "--data", filepath.Join(dir, fmt.Sprint("sink", i)))})
	}
	release()
	return c, c.begin(ctx)
}

// begin starts the processes for the first time.
func (c *cluster) begin(ctx context.Context) error {
	if err := c.broker.run(); err != nil {
		return err
	}
	if err := c.setWriter(ctx, writerPassword, ""); err != nil {
		return err
	}
	migrate := exec.CommandContext(ctx, c.program, "migrate", "--clickhouse", c.engine.DSN())
	if out, err := migrate.CombinedOutput(); err != nil {
		return fmt.Errorf("migrate: %w: %s", err, out)
	}
	return c.heal(ctx)
}

// dsn is ClickHouse's address by way of the wire.
func (c *cluster) dsn() string {
	u, err := url.Parse(c.engine.DSN())
	if err != nil {
		panic(err) // it is the engine's own
	}
	u.Host = c.tableWire.addr()
	return u.String()
}

// reserveAddrs finds n addresses that nobody listens on, and listens on them until release
// is called, so that neither another part nor a wire is assigned one of them.
func reserveAddrs(n int) (addrs []string, release func()) {
	var held []net.Listener
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err) // no loopback
		}
		held, addrs = append(held, l), append(addrs, l.Addr().String())
	}
	return addrs, func() {
		for _, l := range held {
			_ = l.Close() // a second call finds it closed
		}
	}
}

// parts returns the processes that the cluster starts itself.
func (c *cluster) parts() []*process {
	return append([]*process{c.broker, c.ingest, c.api}, c.sinks...)
}

// heal takes back all faults and waits until every part is well.
func (c *cluster) heal(ctx context.Context) error {
	c.natsDisk.free()
	c.spoolDisk.free()
	for _, w := range []*wire{c.natsWire, c.tableWire, c.ingestWire} {
		w.mend()
	}
	if err := errors.Join(c.signalEngine(syscall.SIGCONT), c.accept(ctx)); err != nil {
		return err
	}
	for _, p := range c.parts() {
		p.signal(syscall.SIGCONT)
		if err := p.run(); err != nil {
			return err
		}
	}
	return c.waitReady(ctx)
}

// healTimeout bounds how long the parts may take to find one another again.
const healTimeout = 60 * time.Second

// waitReady polls until all parts are well, and fails after healTimeout.
func (c *cluster) waitReady(ctx context.Context) error {
	why := ""
	for end := time.Now().Add(healTimeout); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(50 * time.Millisecond) { // polls the condition
		if why = c.notReady(); why == "" {
			return nil
		}
	}
	return fmt.Errorf("not well after %v: %s\n%s", healTimeout, why, c.logs())
}

// notReady names a part that is not well, "" if there is none. The sinks show in
// what is stored.
func (c *cluster) notReady() string {
	if h := c.engine.Health(); h.State != engine.Running {
		return "clickhouse is " + string(h.State)
	}
	for name, base := range map[string]string{"ingest": c.ingestURL, "api": c.apiURL} {
		resp, err := http.Get(base + "/readyz")
		if err != nil {
			return name + ": " + err.Error()
		}
		body, _ := io.ReadAll(resp.Body) // the report has it
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return name + ": " + string(body)
		}
	}
	return ""
}

// jetStream connects to NATS, past the wire. What an earlier fault of the round
// did to NATS is over then: it runs, and has room.
func (c *cluster) jetStream(ctx context.Context, do func(njs.JetStream) error) error {
	c.natsDisk.free()
	c.broker.signal(syscall.SIGCONT)
	if err := c.broker.run(); err != nil {
		return err
	}
	nc, err := nats.Connect("nats://"+natsToken+"@"+c.natsWire.to,
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		return fmt.Errorf("connect to NATS: %w", err)
	}
	defer nc.Close()
	js, err := njs.New(nc)
	if err != nil {
		return err
	}
	err = again(ctx, func() error {
		_, err := js.Stream(ctx, jetstream.StreamName)
		return err
	})
	if err != nil {
		return err
	}
	return do(js)
}

// again tries something until it succeeds, for as long as NATS may take to be
// well.
func again(ctx context.Context, try func() error) error {
	for end := time.Now().Add(healTimeout); ; {
		err := try()
		if err == nil || time.Now().After(end) {
			return err
		}
		if err := wait(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// logs returns the last words of every part.
func (c *cluster) logs() string {
	var b strings.Builder
	for _, p := range c.parts() {
		fmt.Fprintf(&b, "--- %s\n%s\n", p.name, p.log.tail())
	}
	return b.String()
}

// close ends everything. It can be called on a cluster that started in part.
func (c *cluster) close() error {
	var errs []error
	if c.broker != nil {
		for _, p := range c.parts() {
			p.signal(syscall.SIGCONT)
			p.end(syscall.SIGKILL)
		}
	}
	for _, w := range []*wire{c.natsWire, c.tableWire, c.ingestWire} {
		if w != nil {
			w.close()
		}
	}
	errs = append(errs, c.signalEngine(syscall.SIGCONT)) // its end is its owner's
	for _, d := range []*disk{c.natsDisk, c.spoolDisk} {
		if d != nil {
			errs = append(errs, d.close())
		}
	}
	return errors.Join(append(errs, os.RemoveAll(c.dir))...)
}
