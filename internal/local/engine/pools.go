//go:build !nolibrary

package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// preparePools opens and closes a second database of the library beside the engine's database. This
// creates the threads that write backups to S3, which belong to the process and which
// clickhouse-local does not create. Without these threads everything but backups to S3 works.
func preparePools(library uintptr, dir string) error {
	for _, name := range []string{"chdb_connect", "chdb_close_conn"} {
		if _, err := purego.Dlsym(library, name); err != nil {
			return fmt.Errorf("backups to S3 will fail: the ClickHouse library lacks %s: %w", name, err)
		}
	}
	// The functions are chdb_connection *chdb_connect(int argc, char **argv) and void
	// chdb_close_conn(chdb_connection *conn).
	var open func(argc int32, argv unsafe.Pointer) uintptr
	var shut func(connection uintptr)
	purego.RegisterLibFunc(&open, library, "chdb_connect")
	purego.RegisterLibFunc(&shut, library, "chdb_close_conn")

	path := filepath.Join(dir, "tmp", "pools")
	defer os.RemoveAll(path)
	// The name of a configuration need not exist. Without a name the library would read config.xml
	// in the working directory, which is the engine's configuration.
	args, count := cStrings([]string{"clickhouse", "--config-file=" + filepath.Join(path, "none.xml"),
		"--path=" + path})
	connection := open(count, unsafe.Pointer(&args[0]))
	runtime.KeepAlive(args)
	if connection == 0 {
		return fmt.Errorf("backups to S3 will fail: the ClickHouse library could not open a database in %s", path)
	}
	shut(connection)
	return nil
}
