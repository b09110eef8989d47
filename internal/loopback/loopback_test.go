package loopback

import (
	"net"
	"testing"
)

// What is free can be listened at, and is not an address that others get by chance.
func TestFree(t *testing.T) {
	address := Free(t)
	if c, err := net.Dial("tcp", address); err == nil {
		c.Close()
		t.Fatalf("something listens at %s", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if !l.Addr().(*net.TCPAddr).IP.IsLoopback() || l.Addr().String() != address {
		t.Errorf("%s, want %s", l.Addr(), address)
	}
}
