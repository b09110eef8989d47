package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"tapedeck/internal/commandline"
	"tapedeck/internal/local/datadir"
)

// unreadable describes why the file of a setting cannot be read.
func unreadable(path string, err error) error {
	switch at, is := errors.AsType[*fs.PathError](err); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file %s: write it, or name another one", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("this user must not read the file %s: let it read the file", path)
	case is:
		return fmt.Errorf("the file %s cannot be read (%w): name another one", path, at.Err)
	}
	return err
}

// checkDirectory returns an error for a directory that cannot be created, because a part of its
// path is a file.
func checkDirectory(flag, path string) error {
	for at := path; path != ""; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() {
			return commandline.Errorf("--%s: %s is not a directory: name another one", flag, at)
		}
		if err == nil || at == filepath.Dir(at) {
			break
		}
	}
	return nil
}

// checkData refuses a data directory that is not tapedeck's. path is empty for the default.
func checkData(path string) error {
	if path == "" {
		var err error
		if path, err = datadir.Default(); err != nil {
			return nil // the start reports it
		}
	}
	if err := checkDirectory("data", path); err != nil {
		return err
	}
	return datadir.Check(path)
}

// mostPort is the highest TCP port.
const mostPort = 65535

// checkNATSListen returns an error for an address that the NATS of local mode cannot listen on.
func checkNATSListen(address string) error {
	if address == "" {
		return nil
	}
	host, text, err := net.SplitHostPort(address)
	port, notNumber := strconv.Atoi(text)
	if err != nil || notNumber != nil || port < 0 || port > mostPort {
		return commandline.Errorf("--nats-listen %q: it must be host:port, like 127.0.0.1:4222", address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return commandline.Errorf("--nats-listen %q: the NATS of local mode answers on loopback only; use 127.0.0.1 or [::1]", address)
	}
	return nil
}
