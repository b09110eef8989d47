package localtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/local/engine"
)

// zookeeperJars is where Debian's package zookeeper and its dependencies are.
const zookeeperJars = "/usr/share/java"

// Keeper starts an Apache ZooKeeper, which ClickHouse uses like its own Keeper, and returns its port. The
// engine of the tests has no Keeper that it can start. If none is installed (apt-get install zookeeper),
// the test is skipped: make replicas needs one, and no other target does.
func Keeper(t testing.TB) (port int) {
	t.Helper()
	java, err := exec.LookPath("java")
	if err == nil {
		_, err = os.Stat(filepath.Join(zookeeperJars, "zookeeper.jar"))
	}
	if err != nil {
		t.Skip("skipped: ZooKeeper is not installed")
	}
	if port, err = engine.FreePort(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "zoo.cfg")
	text := fmt.Sprintf("tickTime=2000\ndataDir=%s\nclientPort=%d\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n", dir, port)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	cmd := exec.Command(java, "-Xmx256m", "-cp", filepath.Join(zookeeperJars, "*"), "org.apache.zookeeper.server.quorum.QuorumPeerMain", config)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(said.String())
		}
	})
	address := fmt.Sprintf("127.0.0.1:%d", port)
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
			return port
		}
		if time.Now().After(end) {
			t.Fatalf("ZooKeeper does not listen: %v", err)
		}
	}
}
