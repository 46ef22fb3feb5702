package kubectl

import (
	"errors"
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
)

// errTimeout is what a wait ends with that took too long.
// Upstream: apimachinery/pkg/util/wait, ErrorInterrupted.
var errTimeout = errors.New("timed out waiting for the condition")

// follow lists one object and watches it until done says so, or time is up. It
// lists anew when the watch breaks. done is given nil while the object is not there.
// Upstream: client-go tools/watch/until.go, UntilWithSync.
func (s *session) follow(i *info, end time.Duration, done func(api.Object) (bool, error)) error {
	for {
		list := i.request(client.List)
		list.Name, list.List.FieldSelector = "", "metadata.name="+i.name
		got, err := s.do(list)
		if err != nil {
			return err
		}
		found, ok := got.(api.List)
		if !ok {
			return fmt.Errorf("the server answered with %T instead of a list", got)
		}
		var obj api.Object
		if items := found.GetItems(); len(items) > 0 {
			obj = items[0]
		}
		if ready, err := done(obj); ready || err != nil {
			return err
		}
		if s.p.Now() >= end {
			return errTimeout
		}
		watch := i.request(client.Watch)
		watch.Name, watch.List = "", metav1.ListOptions{FieldSelector: list.List.FieldSelector, ResourceVersion: found.GetListMeta().GetResourceVersion(),
			Watch: true}
		stream, err := s.transport.Watch(s.p, watch)
		if err != nil {
			return err
		}
		if ready, err := s.events(stream, end, done); ready || err != nil {
			return err
		}
	}
}

// events hands what a watch brings to done, until the watch ends.
func (s *session) events(stream client.Stream, end time.Duration, done func(api.Object) (bool, error)) (bool, error) {
	late := false
	timer := s.p.Component().After(max(0, end-s.p.Now()), func() {
		late = true
		stream.Stop()
	})
	defer func() {
		timer.Stop()
		stream.Stop()
	}()
	for {
		e, ok := stream.Next(s.p)
		if !ok {
			if late {
				return false, errTimeout
			}
			return false, nil
		}
		obj := e.Object
		switch e.Type {
		case client.Error:
			return false, nil
		case client.Bookmark:
			continue
		case client.Deleted:
			obj = nil
		}
		if ready, err := done(obj); ready || err != nil {
			return ready, err
		}
	}
}

// untilDeleted waits until an object is gone; another one of its name does not count.
// Upstream: kubectl pkg/cmd/wait/delete.go, IsDeleted.
func (s *session) untilDeleted(i *info, uid string, end time.Duration) error {
	gone := func(obj api.Object) bool {
		return obj == nil || uid != "" && string(obj.GetUID()) != uid
	}
	obj, err := s.object(i.request(client.Get))
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if gone(obj) {
		return nil
	}
	return s.waited(i, s.follow(i, end, func(obj api.Object) (bool, error) { return gone(obj), nil }))
}

// waited says what a wait that took too long was for.
func (s *session) waited(i *info, err error) error {
	if err == errTimeout {
		return fmt.Errorf("%w on %s/%s", err, i.kind.Resource, i.name)
	}
	return err
}
