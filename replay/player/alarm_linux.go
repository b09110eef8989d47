package player

import (
	"container/heap"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// PreciseAlarm returns an Alarm that uses the kernel's high resolution timers. Go rounds the time
// of its own timers to whole milliseconds when it sleeps in epoll. A timerfd wakes the same epoll
// with microsecond precision, without spinning. All alarms share one timerfd and one goroutine, so
// that alarms due at the same time cost one wake-up. If the kernel refuses a timerfd, PreciseAlarm
// returns a TimerAlarm.
func PreciseAlarm() Alarm {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.users == 0 {
		fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
		if err != nil {
			return TimerAlarm()
		}
		shared.timer = &timerfd{
			fd: fd, file: os.NewFile(uintptr(fd), "timerfd"), start: time.Now(), done: make(chan struct{}),
		}
		go shared.timer.run()
	}
	shared.users++
	return &preciseAlarm{timer: shared.timer, c: make(chan time.Time, 1), place: -1}
}

// shared holds the timer of all open alarms.
var shared struct {
	mu    sync.Mutex // guards the fields below
	users int
	timer *timerfd // nil if there are no users
}

// timerfd fires the alarms that are set.
type timerfd struct {
	fd    int
	file  *os.File // owns fd
	start time.Time
	done  chan struct{} // closed when run has returned

	mu   sync.Mutex // guards the fields below, and the alarms' due and place
	set  alarmHeap
	wake time.Duration // when the timer will fire, since start; in the past while it is not set
}

// Setting the kernel's timer and waking an idle processor cost more than the rest of a wake-up. The
// more alarms are set, the more of them fire together. Each alarm delays the others by at most
// grain, all of them together by at most coarsest.
const (
	grain    = time.Microsecond
	coarsest = time.Millisecond
)

// preciseAlarm is one alarm on the shared timerfd.
type preciseAlarm struct {
	timer *timerfd
	c     chan time.Time
	due   time.Duration // since timer.start
	place int           // index in timer.set; -1 if the alarm is not set
}

// run fires alarms until the file is closed.
func (t *timerfd) run() {
	defer close(t.done)
	var count [8]byte
	for {
		if _, err := t.file.Read(count[:]); err != nil {
			return
		}
		t.fire()
	}
}

// fire wakes the alarms that are due and sets the timer for the next one.
func (t *timerfd) fire() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.set) > 0 {
		now := time.Now()
		b := t.set[0]
		if b.due > now.Sub(t.start) {
			t.arm(now.Sub(t.start))
			return
		}
		heap.Pop(&t.set)
		select {
		case b.c <- now:
		default: // an earlier wake-up is still pending
		}
	}
}

// arm sets the kernel's timer for the first alarm, unless the timer fires earlier anyway. The
// caller holds t.mu.
func (t *timerfd) arm(now time.Duration) {
	wake := t.set[0].due
	if others := len(t.set) - 1; others > 0 {
		wake = max(wake, now+min(time.Duration(others)*grain, coarsest))
	}
	if now < t.wake && t.wake <= wake {
		return
	}
	t.wake = wake
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(max(wake-now, 1)))} // 0 would disarm the timer
	if err := unix.TimerfdSettime(t.fd, 0, &spec, nil); err != nil {
		panic(err) // the descriptor is open and the time is valid
	}
}

// Set implements Alarm.
func (b *preciseAlarm) Set(d time.Duration) {
	t := b.timer
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Since(t.start)
	b.due = now + d
	if b.place < 0 {
		heap.Push(&t.set, b)
	} else {
		heap.Fix(&t.set, b.place)
	}
	if b.place == 0 {
		t.arm(now)
	}
}

// C implements Alarm.
func (b *preciseAlarm) C() <-chan time.Time { return b.c }

// Close implements Alarm. Closing the last alarm closes the timer.
func (b *preciseAlarm) Close() {
	t := b.timer
	t.mu.Lock()
	if b.place >= 0 {
		heap.Remove(&t.set, b.place)
	}
	t.mu.Unlock()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.users--; shared.users == 0 {
		shared.timer = nil
		_ = t.file.Close() // a timer has no data to lose
		<-t.done
	}
}

// alarmHeap is a heap by due time.
type alarmHeap []*preciseAlarm

func (h alarmHeap) Len() int           { return len(h) }
func (h alarmHeap) Less(i, j int) bool { return h[i].due < h[j].due }

func (h alarmHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

// Push implements heap.Interface.
func (h *alarmHeap) Push(x any) {
	b := x.(*preciseAlarm)
	b.place = len(*h)
	*h = append(*h, b)
}

// Pop implements heap.Interface.
func (h *alarmHeap) Pop() any {
	last := len(*h) - 1
	b := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	b.place = -1
	return b
}
