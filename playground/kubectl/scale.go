package kubectl

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// How often scale tries again after a conflict, and for how long.
// Upstream: kubectl pkg/cmd/scale/scale.go, RunScale.
const (
	retryInterval = time.Second
	retryTimeout  = 5 * time.Minute
)

// Scale is kubectl scale.
func (c Command) Scale(p *sim.Proc, resource, namespace, name string, replicas int32, current *int32) Result {
	args := inNamespace(namespace, "scale", resource, name, "--replicas="+strconv.Itoa(int(replicas)))
	if current != nil {
		args = append(args, "--current-replicas="+strconv.Itoa(int(*current)))
	}
	return c.Run(p, args, nil)
}

// runScale is kubectl scale: a GET of the object, then a PATCH of its scale.
// With --current-replicas the scale is read, compared and written back whole, so
// that nobody else can have changed it in between.
// Upstream: kubectl pkg/cmd/scale/scale.go RunScale, and pkg/scale/scale.go.
func runScale(s *session) error {
	replicas := s.flags.number("replicas", -1)
	current := s.flags.number("current-replicas", -1)
	switch {
	case !s.flags.has("replicas"):
		return errors.New(`required flag(s) "replicas" not set`)
	case replicas < 0:
		return errors.New("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0")
	case current < -1:
		return errors.New("The --current-replicas must specify an integer of -1 or greater")
	}
	infos, err := s.infos(s.args)
	if err != nil {
		return err
	}
	if len(infos) == 0 {
		return errors.New("no objects passed to scale")
	}
	if len(infos) > 1 && s.flags.text("resource-version") != "" {
		return errors.New("cannot use --resource-version with multiple resources")
	}
	var there []*info
	missing := s.each(infos, s.fetching(func(i *info) error {
		there = append(there, i)
		return nil
	}))
	for _, i := range there {
		if s.dryRun != "client" {
			if err := s.scale(i, int32(replicas), int32(current)); err != nil {
				return err
			}
			if err := s.synced(i, int32(replicas)); err != nil {
				return err
			}
		}
		t := s.shown(i.object)
		if i.kind.Group == "apps" || i.kind.Group == "" {
			inside(t, "spec")["replicas"] = json.Number(strconv.FormatInt(replicas, 10))
		}
		if err := s.show(nil, &info{kind: i.kind, name: i.name, tree: t}, "scaled"); err != nil {
			return err
		}
	}
	return missing
}

// synced waits, with --timeout, until there are as many as there are to be.
// Upstream: kubectl pkg/scale/scale.go, WaitForScaleHasDesiredReplicas.
func (s *session) synced(i *info, replicas int32) error {
	timeout := s.flags.duration("timeout")
	for end := s.p.Now() + timeout; timeout > 0 && s.dryRun == ""; s.p.Sleep(retryInterval) {
		got, err := s.object(s.scaleRequest(i, client.Get))
		if err != nil {
			return err
		}
		if scale := got.(*autoscalingv1.Scale); scale.Spec.Replicas == replicas && scale.Status.Replicas == replicas {
			return nil
		}
		if s.p.Now() >= end {
			return fmt.Errorf("timed out waiting for %q to be synced", i.name)
		}
	}
	return nil
}

func (s *session) scale(i *info, replicas, current int32) error {
	for end := s.p.Now() + retryTimeout; ; s.p.Sleep(retryInterval) {
		var err error
		if current < 0 && s.flags.text("resource-version") == "" {
			err = s.patchScale(i, replicas)
		} else {
			err = s.updateScale(i, replicas, current)
		}
		switch {
		case err == nil:
			return nil
		case !apierrors.IsConflict(err):
			return err
		case s.p.Now() >= end:
			return errors.New("timed out waiting for the condition")
		}
	}
}

func (s *session) scaleRequest(i *info, verb string) *client.Request {
	r := i.request(verb)
	r.Subresource = "scale"
	return r
}

func (s *session) patchScale(i *info, replicas int32) error {
	r := s.scaleRequest(i, client.Patch)
	r.PatchType, r.Patch = types.MergePatchType, fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas)
	_, err := s.do(r)
	var status *apierrors.StatusError
	if errors.As(err, &status) { // its client knows no groups
		out := *status
		out.ErrStatus.Message = strings.Replace(out.ErrStatus.Message, i.kind.GroupResource().String()+" ", i.kind.Resource+" ", 1)
		return &out
	}
	return err
}

func (s *session) updateScale(i *info, replicas, current int32) error {
	got, err := s.object(s.scaleRequest(i, client.Get))
	if err != nil {
		return err
	}
	scale := got.DeepCopyObject().(*autoscalingv1.Scale)
	if current >= 0 && scale.Spec.Replicas != current {
		return fmt.Errorf("Expected replicas to be %d, was %d", current, scale.Spec.Replicas)
	}
	if version := s.flags.text("resource-version"); version != "" && scale.ResourceVersion != version {
		return fmt.Errorf("Expected resource version to be %s, was %s", version, scale.ResourceVersion)
	}
	scale.Spec.Replicas = replicas
	r := s.scaleRequest(i, client.Update)
	r.Object = api.Object(scale)
	_, err = s.do(r)
	return err
}
