package replay

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// PreciseAlarm is an Alarm on the kernel's high resolution timers. Go rounds
// the waiting time of its own timers to whole milliseconds when it sleeps in
// epoll; a timerfd wakes the same epoll to the microsecond, and costs no
// spinning. It takes one file descriptor and one goroutine. Where the kernel
// grants none it is a TimerAlarm.
func PreciseAlarm() Alarm {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return TimerAlarm()
	}
	a := &timerfd{fd: fd, file: os.NewFile(uintptr(fd), "timerfd"), c: make(chan time.Time, 1), done: make(chan struct{})}
	go a.watch()
	return a
}

type timerfd struct {
	fd   int
	file *os.File // owns fd
	c    chan time.Time
	done chan struct{} // closed when watch has ended
}

// watch ends when the file is closed.
func (a *timerfd) watch() {
	defer close(a.done)
	var count [8]byte
	for {
		if _, err := a.file.Read(count[:]); err != nil {
			return
		}
		select {
		case a.c <- time.Now():
		default: // the one before was not taken: it serves
		}
	}
}

func (a *timerfd) Set(d time.Duration) {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(max(d, 1)))} // 0 would disarm it
	if err := unix.TimerfdSettime(a.fd, 0, &spec, nil); err != nil {
		panic(err) // the descriptor is open and the time is valid
	}
}

func (a *timerfd) C() <-chan time.Time { return a.c }

func (a *timerfd) Close() {
	a.file.Close()
	<-a.done
}
