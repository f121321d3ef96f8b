package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/ebb-energy/ebb/agent/internal/names"
	"github.com/ebb-energy/ebb/agent/internal/tenants"
)

// hung is a time that only a hang takes.
const hung = time.Minute

// server is an API server with pods, as far as a list and a watch go.
type server struct {
	t       *testing.T
	mu      sync.Mutex
	version int
	pods    []corev1.Pod
	watches map[chan metav1.WatchEvent]bool
	stalled chan struct{} // while it is there, no answer comes
	asked   chan string   // the field selectors
}

func newServer(t *testing.T) *server {
	return &server{t: t, version: 1, watches: map[chan metav1.WatchEvent]bool{},
		asked: make(chan string, 1000)}
}

// serving ends after what watches it.
func serving(t *testing.T, s *server) *httptest.Server {
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return h
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	stalled := s.stalled
	s.mu.Unlock()
	if stalled != nil {
		select {
		case <-stalled:
		case <-r.Context().Done():
			return
		}
	}
	q := r.URL.Query()
	s.asked <- q.Get("fieldSelector")
	w.Header().Set("Content-Type", "application/json")
	out := json.NewEncoder(w)
	s.mu.Lock()
	if q.Get("watch") == "" {
		list := corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"},
			ListMeta: metav1.ListMeta{ResourceVersion: fmt.Sprint(s.version)}, Items: s.pods}
		_ = out.Encode(list)
		s.mu.Unlock()
		return
	}
	if q.Get("sendInitialEvents") != "" { // an older server, which is asked for a list then
		s.mu.Unlock()
		w.WriteHeader(http.StatusUnprocessableEntity)
		_ = out.Encode(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
			Status: metav1.StatusFailure, Code: http.StatusUnprocessableEntity,
			Reason: metav1.StatusReasonInvalid})
		return
	}
	events := make(chan metav1.WatchEvent, 100_000)
	s.watches[events] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.watches, events)
		s.mu.Unlock()
	}()
	w.(http.Flusher).Flush()
	for {
		select {
		case e := <-events:
			_ = out.Encode(e)
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// send sends an event of a pod to all who watch.
func (s *server) send(kind watch.EventType, pod corev1.Pod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	pod.TypeMeta = metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}
	pod.ResourceVersion = fmt.Sprint(s.version)
	raw, err := json.Marshal(pod)
	if err != nil {
		s.t.Error(err)
	}
	for w := range s.watches {
		e := metav1.WatchEvent{Type: string(kind)}
		e.Object.Raw = raw
		w <- e
	}
}

func (s *server) watched() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.watches) > 0
}

func idFor(n int) string { return fmt.Sprintf("%012x", n) + strings.Repeat("0", 52) }

// podOf is a pod with one container.
func podOf(n int, name string) corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(name),
			ResourceVersion: "1", Annotations: map[string]string{"a": strings.Repeat("x", 4096)}},
		Spec: corev1.PodSpec{NodeName: "node1"},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{
			{Name: "main", ContainerID: "containerd://" + idFor(n)}}},
	}
}

// start watches a server.
func start(t *testing.T, url string) *Source {
	t.Helper()
	s, err := New(&rest.Config{Host: url}, "node1")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { s.Run(ctx); close(done) }()
	t.Cleanup(func() {
		end()
		select {
		case <-done:
		case <-time.After(hung):
			t.Error("it does not end")
		}
	})
	return s
}

func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(hung); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: ", what)
		}
	}
}

func knows(s *Source, n int, pod string) func() bool {
	return func() bool {
		c, ok := s.Of(idFor(n)[:names.ShortID])
		return ok && c.Pod == pod
	}
}

// TestPodsOfThisNode: a list, then a watch; init and ended containers too; one that was deleted
// stays known.
func TestPodsOfThisNode(t *testing.T) {
	api := newServer(t)
	web := podOf(1, "web")
	web.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "init",
		ContainerID: "cri-o://" + idFor(2)}}
	web.Status.EphemeralContainerStatuses = []corev1.ContainerStatus{{Name: "debug",
		ContainerID: "containerd://" + idFor(3)}}
	web.Status.ContainerStatuses[0].LastTerminationState.Terminated =
		&corev1.ContainerStateTerminated{ContainerID: "containerd://" + idFor(4)}
	api.pods = []corev1.Pod{web}
	http := serving(t, api)
	s := start(t, http.URL)
	for n, name := range map[int]string{1: "main", 2: "init", 3: "debug", 4: "main"} {
		until(t, name, knows(s, n, "web"))
		if c, _ := s.Of(idFor(n)[:names.ShortID]); c != (names.Container{
			Namespace: "shop", Pod: "web", Container: name}) {
			t.Errorf("%d: %v", n, c)
		}
	}
	until(t, "a watch", api.watched)
	api.send(watch.Added, podOf(5, "db"))
	until(t, "a new pod", knows(s, 5, "db"))
	api.send(watch.Deleted, podOf(5, "db"))
	api.send(watch.Added, podOf(6, "later"))
	until(t, "one after it", knows(s, 6, "later"))
	if !knows(s, 5, "db")() {
		t.Error("a pod that ended lost its name")
	}
	for range len(api.asked) {
		if selector := <-api.asked; selector != "spec.nodeName=node1" {
			t.Errorf("asked for %q", selector)
		}
	}
	if _, err := New(&rest.Config{}, ""); err == nil {
		t.Error("pods of no node")
	}
}

// TestWishes: a pod that runs, and whose annotation is a number with a percent sign, wishes until
// it is gone or says otherwise; nothing else does.
func TestWishes(t *testing.T) {
	api := newServer(t)
	asking := func(text string, phase corev1.PodPhase) corev1.Pod {
		p := podOf(1, "web")
		p.Annotations[tenants.Annotation] = text
		p.Status.Phase, p.Status.QOSClass = phase, corev1.PodQOSBurstable
		return p
	}
	http := serving(t, api)
	s := start(t, http.URL)
	until(t, "a watch", api.watched)
	wish := func(slowdown string) func() bool {
		return func() bool {
			all := s.Wishes()
			return slowdown == "" && len(all) == 0 || len(all) == 1 && all[0] == tenants.Wish{
				Namespace: "shop", Pod: "web", UID: "web", Class: "Burstable", Slowdown: slowdown}
		}
	}
	api.send(watch.Added, asking("5%", corev1.PodPending))
	until(t, "the pod", knows(s, 1, "web"))
	if !wish("")() {
		t.Error("a pod that does not run wishes")
	}
	for _, step := range []struct {
		kind       watch.EventType
		text, want string
		phase      corev1.PodPhase
	}{
		{watch.Modified, "5%", "5%", corev1.PodRunning},
		{watch.Modified, "2.5%", "2.5%", corev1.PodRunning},
		{watch.Modified, "5%; id", "", corev1.PodRunning},
		{watch.Modified, "5%", "5%", corev1.PodRunning},
		{watch.Modified, strings.Repeat("5", 200_000) + "%", "", corev1.PodRunning},
		{watch.Modified, "5%", "5%", corev1.PodRunning},
		{watch.Modified, "5%", "", corev1.PodSucceeded},
		{watch.Modified, "5%", "5%", corev1.PodRunning},
		{watch.Deleted, "5%", "", corev1.PodRunning},
	} {
		api.send(step.kind, asking(step.text, step.phase))
		until(t, fmt.Sprintf("%v of %.20q", step.kind, step.text), wish(step.want))
	}
}

// TestChurn: 1,000 pods come and go; the last are known, with names of 4 KB.
func TestChurn(t *testing.T) {
	api := newServer(t)
	http := serving(t, api)
	s := start(t, http.URL)
	until(t, "a watch", api.watched)
	const all = 1000
	for n := range all {
		p := podOf(n+1, fmt.Sprint("pod-", n))
		api.send(watch.Added, p)
		api.send(watch.Deleted, p)
	}
	long := podOf(all+1, strings.Repeat("a", 4096))
	api.send(watch.Added, long)
	until(t, "the last", knows(s, all, fmt.Sprint("pod-", all-1)))
	until(t, "a long name", func() bool {
		c, ok := s.Of(idFor(all + 1)[:names.ShortID])
		return ok && len(c.Pod) == 253
	})
}

// TestServerThatDies: names stay while the server is gone, and new ones come when it is back.
func TestServerThatDies(t *testing.T) {
	api := newServer(t)
	api.pods = []corev1.Pod{podOf(1, "web")}
	first := serving(t, api)
	var again *httptest.Server
	t.Cleanup(func() { // when nothing watches any more
		if again != nil {
			again.Close()
		}
	})
	address := first.Listener.Addr().String()
	s := start(t, first.URL)
	until(t, "a watch", api.watched)
	first.Listener.Close()
	first.CloseClientConnections()
	first.Close()
	if !knows(s, 1, "web")() {
		t.Error("a name went with the server")
	}
	api.mu.Lock()
	api.pods = append(api.pods, podOf(2, "db"))
	api.version++
	api.mu.Unlock()
	again = httptest.NewUnstartedServer(api)
	again.Listener.Close()
	var err error
	if again.Listener, err = listenAt(address); err != nil {
		t.Fatal(err)
	}
	again.Start()
	until(t, "a name of the new server", knows(s, 2, "db"))
}

// TestServerThatStalls: who asks for a name does not wait for a server that says nothing.
func TestServerThatStalls(t *testing.T) {
	api := newServer(t)
	api.pods = []corev1.Pod{podOf(1, "web")}
	api.stalled = make(chan struct{})
	http := serving(t, api)
	s := start(t, http.URL)
	if knows(s, 1, "web")() {
		t.Error("known before the server answered")
	}
	close(api.stalled)
	until(t, "the name", knows(s, 1, "web"))
}

func listenAt(address string) (l net.Listener, err error) {
	for end := time.Now().Add(hung); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if l, err = net.Listen("tcp", address); err == nil {
			return l, nil
		}
	}
	return nil, err
}
