package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/nats-io/nats.go"

	"tapedeck/internal/local"
	"tapedeck/schema/clickhouse"
)

// cluster runs tapedeck in several processes, so that each can be measured separately: NATS in this
// process, ClickHouse as its child, a process that only ingests streams, and a process with the
// sink and the API.
type cluster struct {
	servers *local.Servers
	env     []string // the servers' addresses, for commands
	dir     string
	nc      *nats.Conn
	db      driver.Conn
	ingest  *command
	sink    *command
}

// running starts the cluster for the first part that needs it. Later parts share
// it.
func (h *harness) running(ctx context.Context) (*cluster, error) {
	if h.cluster != nil {
		return h.cluster, nil
	}
	dir, err := h.tempDir("cluster")
	if err != nil {
		return nil, err
	}
	h.cluster = &cluster{dir: dir} // from now on Run ends it
	return h.cluster, h.cluster.start(ctx, h)
}

func (c *cluster) start(ctx context.Context, h *harness) (err error) {
	c.servers, err = local.Start(ctx, local.Options{Dir: filepath.Join(c.dir, "servers"), ListenNATS: "127.0.0.1:0", Logger: h.Log})
	if err != nil {
		return err
	}
	if c.nc, err = c.servers.ConnectNATS(); err != nil {
		return err
	}
	if c.db, err = clickhouse.Open(c.servers.ClickHouseDSN()); err != nil {
		return err
	}
	if _, err = clickhouse.Migrate(ctx, c.db); err != nil {
		return err
	}
	// The addresses are passed in the environment, since they contain passwords.
	c.env = []string{"TAPEDECK_NATS=" + c.servers.NATSURL(), "TAPEDECK_CLICKHOUSE=" + c.servers.ClickHouseDSN()}
	if c.sink, err = serveRole(ctx, h.Program, c.dir, c.env, "sink,api"); err != nil {
		return err
	}
	c.ingest, err = serveRole(ctx, h.Program, c.dir, c.env, "ingest", manyStreams...)
	return err
}

// manyStreams are flags of a server for more streams of one tenant than the default allows.
var manyStreams = []string{"--max-streams", "20000", "--max-streams-per-tenant", "20000"}

// separate starts another server of the cluster, so that the memory of earlier parts is not
// measured.
func (c *cluster) separate(ctx context.Context, h *harness, role string) (*command, error) {
	dir, err := os.MkdirTemp(c.dir, role+"-")
	if err != nil {
		return nil, err
	}
	return serveRole(ctx, h.Program, dir, c.env, role, manyStreams...)
}

// stop ends the running parts of the cluster. c may be nil.
func (c *cluster) stop(ctx context.Context) error {
	if c == nil {
		return nil
	}
	errs := []error{c.ingest.stop(), c.sink.stop()}
	if c.db != nil {
		errs = append(errs, c.db.Close())
	}
	if c.nc != nil {
		c.nc.Close()
	}
	if c.servers != nil {
		errs = append(errs, c.servers.Close(ctx))
	}
	return errors.Join(append(errs, os.RemoveAll(c.dir))...)
}
