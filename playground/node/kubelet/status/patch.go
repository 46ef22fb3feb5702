package status

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/strategicpatch"
	"kubewalk/playground/api/types"
)

// mergePodStatus puts the kubelet's status over the server's, and keeps what
// is not the kubelet's. Upstream: mergePodStatus.
func mergePodStatus(old, status *corev1.PodStatus, couldHaveRunningContainers bool, now metav1.Time) *corev1.PodStatus {
	out := status.DeepCopy()
	var conditions []corev1.PodCondition
	for _, c := range old.Conditions {
		if !ConditionByKubelet(c.Type) {
			conditions = append(conditions, c)
		}
	}
	for _, c := range status.Conditions {
		switch {
		case ConditionByKubelet(c.Type):
			conditions = append(conditions, c)
		case ConditionSharedByKubelet(c.Type):
			if FindCondition(conditions, c.Type) != nil {
				*FindCondition(conditions, c.Type) = c
				continue
			}
			// It says that the Pod fails: not before it does.
			if !couldHaveRunningContainers || isTerminal(old.Phase) {
				conditions = append(conditions, c)
			}
		}
	}
	out.Conditions = conditions
	out.NominatedNodeName = old.NominatedNodeName
	out.ResourceClaimStatuses = old.ResourceClaimStatuses
	if !isTerminal(old.Phase) && isTerminal(out.Phase) && couldHaveRunningContainers {
		// Terminal is final: others may act on it, so it waits for the containers.
		out.Phase, out.Reason, out.Message = old.Phase, old.Reason, old.Message
	}
	if isTerminal(out.Phase) {
		reason := PodCompleted
		if out.Phase == corev1.PodFailed {
			reason = PodFailed
		}
		for i := range out.Conditions {
			c := &out.Conditions[i]
			if c.Type != corev1.PodReady && c.Type != corev1.ContainersReady {
				continue
			}
			if c.Status != corev1.ConditionFalse {
				c.LastTransitionTime = now.Rfc3339Copy()
			}
			c.Status, c.Reason, c.Message = corev1.ConditionFalse, reason, ""
		}
	}
	return out
}

// preparePatchBytesForPodStatus is the smallest strategic merge patch of a
// Pod's status, with the UID so that it can't hit another Pod of that name.
// Upstream: pkg/util/pod/pod.go preparePatchBytesForPodStatus.
func preparePatchBytesForPodStatus(uid types.UID, old, status *corev1.PodStatus) (patch []byte, changed bool) {
	patch, changed = StatusPatch(reflect.TypeFor[corev1.Pod](), reflect.ValueOf(old).Elem(), reflect.ValueOf(status).Elem())
	if !changed {
		return nil, false
	}
	return append([]byte(`{"metadata":{"uid":`+strconv.Quote(string(uid))+`},`), patch[1:]...), true
}

// StatusPatch makes a strategic merge patch {"status":…} of what differs
// between two statuses of a type of object.
func StatusPatch(t reflect.Type, old, status reflect.Value) (patch []byte, changed bool) {
	before, after := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for i := range old.NumField() {
		// Nearly all is as it was: only what may differ is made JSON of.
		if reflect.DeepEqual(old.Field(i).Interface(), status.Field(i).Interface()) {
			continue
		}
		name, options, _ := strings.Cut(old.Type().Field(i).Tag.Get("json"), ",")
		was, is := encode(old.Field(i), options), encode(status.Field(i), options)
		if bytes.Equal(was, is) {
			continue
		}
		changed = true
		if was != nil {
			before[name] = was
		}
		if is != nil {
			after[name] = is
		}
	}
	if !changed {
		return nil, false
	}
	patch, err := strategicpatch.CreateTwoWayMergePatch(wrap(before), wrap(after), t)
	if err != nil {
		panic("kubelet: a patch can't be made: " + err.Error())
	}
	return patch, true
}

func wrap(fields map[string]json.RawMessage) []byte {
	b, err := json.Marshal(map[string]any{"status": fields})
	if err != nil {
		panic("kubelet: a status can't be encoded: " + err.Error())
	}
	return b
}

// encode makes JSON of a field; nil if it is to be left out.
func encode(v reflect.Value, options string) json.RawMessage {
	if strings.HasPrefix(options, "omitempty") && (v.IsZero() || (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0) {
		return nil
	}
	b, err := json.Marshal(v.Interface())
	if err != nil {
		panic("kubelet: a status can't be encoded: " + err.Error())
	}
	return b
}
