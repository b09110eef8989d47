package partitions

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"tapedeck/internal/local/localtest"
)

// nodeEnv in the environment makes this program a NATS server: its value has the server's name, its
// directory, its ports for clients and for the cluster, the ports of the cluster, and the limit of
// its store, separated by commas.
const nodeEnv = "TAPEDECK_TEST_PARTITIONS_NODE"

func TestMain(m *testing.M) {
	if settings := os.Getenv(nodeEnv); settings != "" {
		runNode(strings.Split(settings, ","))
		return
	}
	localtest.Main(m)
}

// runNode runs a NATS server until the process is killed.
func runNode(set []string) {
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil {
			panic(err)
		}
		return n
	}
	opts := &server.Options{
		ServerName: set[0], StoreDir: set[1], Host: "127.0.0.1", Port: number(set[2]), JetStream: true, NoSigs: true,
		JetStreamMaxStore: int64(number(set[5])), JetStreamMaxMemory: 64 << 20, MaxPayload: 8 << 20,
		Cluster: server.ClusterOpts{Name: "tapedeck", Host: "127.0.0.1", Port: number(set[3])},
	}
	for port := range strings.SplitSeq(set[4], "+") {
		opts.Routes = append(opts.Routes, &url.URL{Scheme: "nats", Host: "127.0.0.1:" + port})
	}
	s, err := server.NewServer(opts)
	if err != nil {
		panic(err)
	}
	s.Start()
	s.WaitForShutdown()
}

// node is a member of the cluster, in a process of its own.
type node struct {
	name, settings string
	url            string
	cmd            *exec.Cmd
}

// room is the size of the store of a node, bytes.
const room = 1 << 30

// startNodes starts three nodes.
func startNodes(t *testing.T) []*node {
	t.Helper()
	var held []net.Listener
	port := func() string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, l)
		_, port, _ := net.SplitHostPort(l.Addr().String()) // it has one
		return port
	}
	clients, routes := []string{port(), port(), port()}, []string{port(), port(), port()}
	dir := t.TempDir()
	var nodes []*node
	for i := range 3 {
		name := fmt.Sprint("node", i)
		nodes = append(nodes, &node{name: name, url: "nats://127.0.0.1:" + clients[i], settings: strings.Join([]string{
			name, filepath.Join(dir, name), clients[i], routes[i], strings.Join(routes, "+")}, ",")})
	}
	for _, l := range held {
		l.Close()
	}
	for _, n := range nodes {
		n.start(t, room)
		t.Cleanup(n.kill)
	}
	return nodes
}

// start starts the process with a store of a size, bytes.
func (n *node) start(t *testing.T, size int64) {
	t.Helper()
	n.cmd = exec.Command(os.Args[0])
	n.cmd.Env = append(os.Environ(), nodeEnv+"="+n.settings+","+strconv.FormatInt(size, 10))
	if err := n.cmd.Start(); err != nil {
		t.Fatal(err)
	}
}

// kill kills the process, if it runs.
func (n *node) kill() {
	if n.cmd == nil {
		return
	}
	_ = n.cmd.Process.Signal(syscall.SIGKILL) // it may have ended
	_ = n.cmd.Wait()
	n.cmd = nil
}

// pause stops the process for a while, so that it is away without its connections being closed.
func (n *node) pause(lasts time.Duration) {
	_ = n.cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(lasts) // the fault's length
	_ = n.cmd.Process.Signal(syscall.SIGCONT)
}
