package kubectl

import (
	"errors"
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/controlplane/client"
)

// decideCertificate is kubectl certificate approve or deny: a condition on a CertificateSigningRequest.
// The objects are trees, because the build that is loaded first does not know the kind.
// Upstream: kubectl pkg/cmd/certificates/certificates.go, CertificateOptions.modifyCertificateCondition.
func decideCertificate(condition, mustNotHave, reason, verb, did string) func(s *session) error {
	return func(s *session) error {
		if len(s.args) == 0 && !s.flags.has("filename") {
			return errors.New("one or more CSRs must be specified as <name> or -f <filename>")
		}
		var infos []*info
		var err error
		if s.flags.has("filename") {
			infos, err = s.manifests()
		} else {
			var k *api.Kind
			if k, err = s.kindNamed("certificatesigningrequests"); err == nil {
				for _, name := range s.args {
					infos = append(infos, &info{kind: k, name: name})
				}
			}
		}
		if err != nil {
			return err
		}
		message := fmt.Sprintf("This CSR was %s by kubectl certificate %s.", did, verb)
		return s.each(infos, func(i *info) error {
			for try := 0; ; try++ {
				if _, err := s.read(i, false); err != nil {
					return err
				}
				if want := (api.GroupKind{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}); i.kind.GroupKind() != want {
					return fmt.Errorf("can only handle %s objects, got %s", want, i.kind.GroupKind())
				}
				err := s.addCondition(i, condition, mustNotHave, reason, message)
				if apierrors.IsConflict(err) && try < 10 {
					continue
				}
				if err != nil {
					return err
				}
				return s.show(i.object, i, did)
			}
		})
	}
}

// addCondition reads a request and writes it with one condition more, unless it has it.
// Upstream: certificates.go, addConditionIfNeeded.
func (s *session) addCondition(i *info, condition, mustNotHave, reason, message string) error {
	live, err := s.object(i.request(client.Get))
	if err != nil {
		if apierrors.IsNotFound(err) {
			return fmt.Errorf("could not find v1 version of %s: %v", i.name, err)
		}
		return err
	}
	csr := tree(live)
	status := inside(csr, "status")
	conditions, _ := status["conditions"].([]any)
	has := false
	for _, c := range conditions {
		switch textAt(c, "type") {
		case mustNotHave:
			return fmt.Errorf("certificate signing request %q is already %s", i.name, mustNotHave)
		case condition:
			has = true
		}
	}
	if has && !s.flags.yes("force") {
		return nil
	}
	if !has {
		status["conditions"] = append(conditions, map[string]any{"type": condition, "status": "True", "reason": reason, "message": message,
			"lastUpdateTime": s.p.Time().UTC().Format(time.RFC3339)})
	}
	r := i.request(client.Update)
	r.Subresource, r.Body, r.FieldManager = "approval", encode(csr), "kubectl"
	_, err = s.object(r)
	return err
}
