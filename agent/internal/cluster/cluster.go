// Package cluster reads the names of containers from the API server: of the pods of one node, which
// it watches.
package cluster

import (
	"context"
	"fmt"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/ebb-energy/ebb/agent/internal/names"
	"github.com/ebb-energy/ebb/agent/internal/tenants"
)

// Source is the API server. Names that came from it stay known while it does not answer.
type Source struct {
	table    names.Table
	informer cache.Controller

	mu     sync.Mutex
	wishes map[types.UID]tenants.Wish // pods that ask for a budget, and run
}

// New asks nothing yet: Run does.
func New(config *rest.Config, node string) (*Source, error) {
	if node == "" {
		return nil, fmt.Errorf("which node? the pods of one alone are watched")
	}
	client, err := clientOf(config)
	if err != nil {
		return nil, fmt.Errorf("use the API server: %w", err)
	}
	s := &Source{wishes: map[types.UID]tenants.Wish{}}
	_, s.informer = cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: cache.NewListWatchFromClient(client, "pods", metav1.NamespaceAll,
			fields.OneTermEqualSelector("spec.nodeName", node)),
		ObjectType: &corev1.Pod{},
		Transform:  slim,
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    s.put,
			UpdateFunc: s.renew,
			DeleteFunc: s.drop,
		},
	})
	return s, nil
}

// renew takes a pod's news. After a gap in the watch it can be another pod of the same name.
func (s *Source) renew(old, now any) {
	if before, ok := old.(*corev1.Pod); ok {
		if after, ok := now.(*corev1.Pod); ok && before.UID != after.UID {
			s.drop(old)
		}
	}
	s.put(now)
}

// clientOf knows the core types alone: those of all groups make the binary larger.
func clientOf(config *rest.Config) (*rest.RESTClient, error) {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	c := rest.CopyConfig(config)
	c.GroupVersion, c.APIPath = &corev1.SchemeGroupVersion, "/api"
	c.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	return rest.RESTClientFor(c)
}

// Run watches until the context ends. A server that is gone is asked again, ever more rarely.
func (s *Source) Run(ctx context.Context) { s.informer.RunWithContext(ctx) }

// Of is a container by its short id.
func (s *Source) Of(id string) (names.Container, bool) { return s.table.Of(id) }

// Wishes are the pods that ask for a budget.
func (s *Source) Wishes() (all []tenants.Wish) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.wishes {
		all = append(all, w)
	}
	return all
}

// wish knows which budget a pod asks for, if any.
func (s *Source) wish(pod *corev1.Pod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slowdown, ok := tenants.Slowdown(pod.Annotations[tenants.Annotation])
	if !ok || pod.Status.Phase != corev1.PodRunning {
		delete(s.wishes, pod.UID)
		return
	}
	s.wishes[pod.UID] = tenants.Wish{Namespace: pod.Namespace, Pod: pod.Name,
		UID: string(pod.UID), Class: string(pod.Status.QOSClass), Slowdown: slowdown}
}

// drop forgets what a pod that is gone asked for. Its name stays known.
func (s *Source) drop(of any) {
	if last, is := of.(cache.DeletedFinalStateUnknown); is { // the watch had a gap
		of = last.Obj
	}
	if pod, is := of.(*corev1.Pod); is {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.wishes, pod.UID)
	}
}

func (s *Source) put(of any) {
	pod, ok := of.(*corev1.Pod)
	if !ok {
		return
	}
	s.wish(pod)
	for _, all := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses,
		pod.Status.ContainerStatuses, pod.Status.EphemeralContainerStatuses} {
		for _, status := range all {
			c := names.Container{Namespace: pod.Namespace, Pod: pod.Name, Container: status.Name}
			if last := status.LastTerminationState.Terminated; last != nil {
				s.table.Put(idOf(last.ContainerID), c)
			}
			s.table.Put(idOf(status.ContainerID), c)
		}
	}
}

// idOf is the id in a status: "containerd://ID".
func idOf(text string) string {
	_, id, _ := strings.Cut(text, "://")
	return id
}

// slim keeps of a pod what put reads and the watch needs: pods can have a megabyte each.
func slim(of any) (any, error) {
	pod, ok := of.(*corev1.Pod)
	if !ok {
		return of, nil
	}
	var asks map[string]string
	if text, ok := tenants.Slowdown(pod.Annotations[tenants.Annotation]); ok {
		asks = map[string]string{tenants.Annotation: text}
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID,
			ResourceVersion: pod.ResourceVersion, Annotations: asks},
		Status: corev1.PodStatus{
			Phase: pod.Status.Phase, QOSClass: pod.Status.QOSClass,
			InitContainerStatuses:      idsOf(pod.Status.InitContainerStatuses),
			ContainerStatuses:          idsOf(pod.Status.ContainerStatuses),
			EphemeralContainerStatuses: idsOf(pod.Status.EphemeralContainerStatuses),
		},
	}, nil
}

func idsOf(all []corev1.ContainerStatus) (kept []corev1.ContainerStatus) {
	for _, status := range all {
		one := corev1.ContainerStatus{Name: status.Name, ContainerID: status.ContainerID}
		if last := status.LastTerminationState.Terminated; last != nil {
			one.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
				ContainerID: last.ContainerID}
		}
		kept = append(kept, one)
	}
	return kept
}
