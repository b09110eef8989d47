//go:build !nolibrary

package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"
)

// noTerminal is printed by the child if it runs without pseudoTerminal.
const noTerminal = "no pseudo-terminal"

// runLibrary runs clickhouse-local from the library until stop is closed.
//
// The engine receives two files of queries. The first one starts listening. The second one is the
// reading end of a pipe without data: the engine waits for its end, and serves clients meanwhile.
// Then it reads its terminal, which is closed, and shuts down.
func runLibrary(args childArgs, stop <-chan struct{}) int {
	library, err := purego.Dlopen(args.program.Library, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		fmt.Fprintf(os.Stderr, "load %s: %v\n", args.program.Library, err)
		return exitLoad
	}
	if _, err := purego.Dlsym(library, "chdb_query_cmdline"); err != nil {
		fmt.Fprintf(os.Stderr, "%s is not a ClickHouse library: %v\n", args.program.Library, err)
		return exitLoad
	}
	// The function is chdb_result *chdb_query_cmdline(int argc, char **argv). The result is not
	// needed and is freed when the process ends.
	var run func(argc int32, argv unsafe.Pointer) uintptr
	purego.RegisterLibFunc(&run, library, "chdb_query_cmdline")

	if err := preparePools(library, args.dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}

	// os.Pipe is not suitable: it is non-blocking, and where opening /dev/fd/N duplicates N, the
	// engine would receive an error instead of waiting.
	var pipe [2]int
	if err := syscall.Pipe(pipe[:]); err != nil {
		fmt.Fprintf(os.Stderr, "pipe for the engine: %v\n", err)
		return exitEngine
	}
	argv := []string{
		"clickhouse",
		"--config-file", filepath.Join(args.dir, configFile),
		// clickhouse-local does not read the level in the configuration.
		"--log-level", "warning",
		"--queries-file", filepath.Join(args.dir, startFile),
		"--queries-file", "/dev/fd/" + strconv.Itoa(pipe[0]),
	}
	terminal, err := pseudoTerminal()
	if err == nil {
		argv = append(argv, "--interactive",
			"--disable_suggestion", "--highlight", "0", "--history_file", "/dev/null",
			"--progress", "off", "--progress-table", "off", "--enable-progress-table-toggle", "0")
	} else {
		fmt.Fprintf(os.Stderr, "%s: %v\n", noTerminal, err)
	}

	asked := make(chan struct{})
	go func() {
		<-stop
		close(asked)
		syscall.Close(pipe[1])
		if terminal >= 0 {
			syscall.Close(terminal)
		}
	}()

	runtime.LockOSThread()
	cArgs, count := cStrings(argv)
	run(count, unsafe.Pointer(&cArgs[0]))
	runtime.KeepAlive(cArgs)

	select {
	case <-asked:
		return 0
	default:
		fmt.Fprintln(os.Stderr, "the engine ended by itself")
		return exitEngine
	}
}

// cStrings converts arguments to C strings: pointers to zero-terminated bytes, and a final nil. The
// returned slice owns the bytes.
func cStrings(list []string) ([]*byte, int32) {
	out := make([]*byte, 0, len(list)+1)
	for _, text := range list {
		bytes := append([]byte(text), 0)
		out = append(out, &bytes[0])
	}
	return append(out, nil), int32(len(list))
}
