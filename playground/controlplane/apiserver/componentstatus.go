package apiserver

import (
	"strconv"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/transport"
	"kubewalk/playground/sim"
)

// ConnectComponents registers who tells whether a program of the control plane answers at its /healthz.
func (s *Server) ConnectComponents(answers func(component string) bool) { s.components = answers }

func (s *Server) componentStatusHandler(p *sim.Proc, c *call, e *registry.Store) (client.Result, *transport.Stream, int32, error) {
	if c.Request.Verb != client.Get && c.Request.Verb != client.List {
		return nil, nil, 0, methodNotAllowed()
	}
	c.warnOfDeprecation(e)
	result, err := s.componentStatus(c, e)
	if c.Request.Table && err == nil {
		result = asTable(result, p.Time())
	}
	return result, nil, statusOK, err
}

// componentStatus answers with how the control plane is. Nothing of that is stored: the server asks at once.
// Upstream: pkg/registry/core/componentstatus/rest.go, REST.List and REST.Get; pkg/registry/core/rest/storage_core.go, serversToValidate.
func (s *Server) componentStatus(c *call, e *registry.Store) (client.Result, error) {
	r := c.Request
	f, err := newFilter(r, e)
	if err != nil {
		return nil, err
	}
	list := &corev1.ComponentStatusList{}
	for _, server := range []struct {
		name, component string
		port            int
	}{{"scheduler", "kube-scheduler", 10259}, {"controller-manager", "kube-controller-manager", 10257}, {"etcd-0", "", 0}} {
		status := corev1.ComponentStatus{}
		api.SetKind(&status)
		status.Name = server.name
		condition := corev1.ComponentCondition{Type: corev1.ComponentHealthy, Status: corev1.ConditionTrue, Message: "ok"}
		switch {
		case server.port == 0 && !s.store.Running():
			condition.Status, condition.Message, condition.Error = corev1.ConditionFalse, "", "context deadline exceeded"
		case server.port != 0 && s.components != nil && !s.components(server.component):
			at := "127.0.0.1:" + strconv.Itoa(server.port)
			condition.Status, condition.Message = corev1.ConditionFalse, `Get "https://`+at+`/healthz": dial tcp `+at+": connect: connection refused"
		}
		status.Conditions = []corev1.ComponentCondition{condition}
		if f.matches(&status) {
			list.Items = append(list.Items, status)
		}
	}
	switch {
	case r.Verb == client.List:
		api.SetListKind(list)
		return list, nil
	case len(list.Items) == 0:
		return nil, &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 500, Message: "Component not found: " + r.Name}}
	}
	return &list.Items[0], nil
}
