package localtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"tapedeck/internal/local/engine"
)

// shardsEnv is the environment variable with the number of shards of the ClickHouse that the tests
// of a binary share. Without it the tests have one server that is no cluster.
const shardsEnv = "TAPEDECK_TEST_SHARDS"

// ClusterName is the name of the clusters that this package starts.
const ClusterName = "test"

// Shards returns the options of n engines that are the shards of the cluster ClusterName. The test
// starts each with Engine, and may stop it and start it again.
func Shards(t testing.TB, n int) []engine.Options {
	t.Helper()
	options, err := shards(t.TempDir(), n)
	if err != nil {
		t.Fatal(err)
	}
	return options
}

// Replicas returns the options of engines that are the replicas of n shards of the cluster ClusterName,
// by shards. keeper is the port of a ZooKeeper. The engines do not send rows to one another: replicated
// tables are created, and can only be read.
func Replicas(t testing.TB, n, replicas, keeper int) []engine.Options {
	t.Helper()
	options := Shards(t, n*replicas)
	for i := range options {
		options[i].Cluster.Replicas, options[i].Cluster.Keeper = replicas, keeper
	}
	return options
}

// shards returns the options of the engines of a cluster.
func shards(dir string, n int) ([]engine.Options, error) {
	c := engine.Cluster{Name: ClusterName, Secret: rand.Text()}
	for range n {
		port, err := engine.FreePort()
		if err != nil {
			return nil, err
		}
		c.Ports = append(c.Ports, port)
	}
	var list []engine.Options
	for i, port := range c.Ports {
		list = append(list, engine.Options{Dir: filepath.Join(dir, strconv.Itoa(i)), Port: port, Cluster: c})
	}
	return list, nil
}

// sharedOptions returns the options of the engines of the shared ClickHouse: one, or a cluster.
func sharedOptions(dir string) ([]engine.Options, error) {
	list := []engine.Options{{Dir: dir}}
	if text := os.Getenv(shardsEnv); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%s is %q and not a number of shards", shardsEnv, text)
		}
		if list, err = shards(dir, n); err != nil {
			return nil, err
		}
	}
	for i := range list {
		o := &list[i]
		o.Backups = filepath.Join(o.Dir, "backups")
		o.MemoryLimit = 2 << 30 // several packages are tested at the same time
		o.Ephemeral = true      // the test binary may be killed or panic
		o.Logger = quiet()
	}
	return list, nil
}

// everywhere executes a statement on every shard.
func (e *sharedEngine) everywhere(ctx context.Context, statement string) error {
	var failed error
	for _, s := range e.servers {
		failed = errors.Join(failed, execute(ctx, s.DSN(), statement))
	}
	return failed
}

// in returns a DSN of a database of the shared ClickHouse.
func (e *sharedEngine) in(name string) string {
	address, err := url.Parse(e.servers[0].DSN())
	if err != nil {
		panic(err) // the engine has created the DSN
	}
	address.Path = "/" + name
	if os.Getenv(shardsEnv) != "" {
		address.RawQuery = url.Values{"cluster": {ClusterName}}.Encode()
	}
	return address.String()
}
