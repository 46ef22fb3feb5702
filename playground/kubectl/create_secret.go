package kubectl

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/hash"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
)

// createSecret is kubectl create secret generic. Upstream: kubectl pkg/cmd/create/create_secret.go.
func createSecret(s *session) error {
	name, err := s.oneName()
	if err != nil {
		return err
	}
	data, err := s.keysOf("Secret", name)
	if err != nil {
		return err
	}
	secret := &corev1.Secret{Type: corev1.SecretType(s.flags.text("type")), Data: data}
	secret.Name = name
	return s.generateSecret(secret)
}

func (s *session) generateSecret(secret *corev1.Secret) error {
	if s.flags.yes("append-hash") {
		secret.Name += "-" + hash.Secret(secret)
	}
	return s.generate(secret, "secret")
}

// dockerLogin is how one registry knows its user, in the order in which kubectl writes it. Upstream: create_secret_docker.go, DockerConfigEntry.
type dockerLogin struct {
	Username string `json:"username,omitempty"`
	Password string `json:"password,omitempty"`
	Email    string `json:"email,omitempty"`
	Auth     string `json:"auth,omitempty"`
}

// createDockerSecret is kubectl create secret docker-registry. Upstream: kubectl pkg/cmd/create/create_secret_docker.go.
func createDockerSecret(s *session) error {
	name, err := s.oneName()
	if err != nil {
		return err
	}
	secret := &corev1.Secret{Type: corev1.SecretTypeDockerConfigJson, Data: map[string][]byte{}}
	secret.Name = name
	if files := s.sources("from-file"); len(files) > 0 {
		for i, file := range files {
			if !strings.Contains(file, "=") {
				files[i] = corev1.DockerConfigJsonKey + "=" + file
			}
		}
		k := &keys{"Secret", name, secret.Data, s.files()}
		if err := k.addFiles(files); err != nil {
			return err
		}
		return s.generateSecret(secret)
	}
	user, password, server := s.flags.text("docker-username"), s.flags.text("docker-password"), s.flags.or("docker-server", "https://index.docker.io/v1/")
	if user == "" || password == "" || server == "" {
		return errors.New("either --from-file or the combination of --docker-username, --docker-password and --docker-server is required")
	}
	content, err := json.Marshal(map[string]map[string]dockerLogin{"auths": {server: {user, password, s.flags.text("docker-email"),
		base64.StdEncoding.EncodeToString([]byte(user + ":" + password))}}})
	if err != nil {
		return err
	}
	secret.Data[corev1.DockerConfigJsonKey] = content
	return s.generateSecret(secret)
}

// boundKinds are what a token may be bound to. Upstream: kubectl pkg/cmd/create/create_token.go, boundObjectKinds.
const boundKinds = "Node, Pod, Secret"

// createToken is kubectl create token. Upstream: kubectl pkg/cmd/create/create_token.go.
func createToken(s *session) error {
	name, err := s.oneName()
	if err != nil {
		return err
	}
	kind, object, uid, lasts := s.flags.text("bound-object-kind"), s.flags.text("bound-object-name"), s.flags.text("bound-object-uid"), s.flags.duration("duration")
	switch {
	case lasts < 0:
		return errors.New("--duration must be greater than or equal to 0")
	case lasts%time.Second != 0:
		return errors.New("--duration cannot be expressed in units less than seconds")
	case kind == "" && object != "":
		return errors.New("--bound-object-name can only be set if --bound-object-kind is provided")
	case kind == "" && uid != "":
		return errors.New("--bound-object-uid can only be set if --bound-object-kind is provided")
	case kind != "" && kind != "Node" && kind != "Pod" && kind != "Secret":
		return errors.New("supported --bound-object-kind values are " + boundKinds)
	case kind != "" && object == "":
		return errors.New("--bound-object-name is required if --bound-object-kind is provided")
	}
	request := &authenticationv1.TokenRequest{}
	for _, audience := range s.flags.all("audience") {
		if audience == "" {
			return errors.New("--audience must not be an empty string")
		}
		request.Spec.Audiences = append(request.Spec.Audiences, audience)
	}
	if lasts > 0 {
		seconds := int64(lasts / time.Second)
		request.Spec.ExpirationSeconds = &seconds
	}
	if kind != "" {
		request.Spec.BoundObjectRef = &authenticationv1.BoundObjectReference{Kind: kind, APIVersion: "v1", Name: object, UID: types.UID(uid)}
	}
	answer, err := s.do(&client.Request{Verb: client.Create, Resource: api.KindOf(new(corev1.ServiceAccount)).GroupVersionResource(), Subresource: "token",
		Namespace: s.namespace, Name: name, Object: request})
	if err != nil {
		return fmt.Errorf("failed to create token: %w", plain{err})
	}
	made, ok := answer.(*authenticationv1.TokenRequest)
	if !ok || made.Status.Token == "" {
		return errors.New("failed to create token: no token in server response")
	}
	if s.flags.has("output") {
		return s.print([]map[string]any{s.shown(made)}, true)
	}
	s.printf("%s\n", made.Status.Token)
	return nil
}

// createTLSSecret is kubectl create secret tls.
//
// Simplified: what the two files hold is not read further than PEM goes, and they are not held against each other.
// Upstream: kubectl pkg/cmd/create/create_secret_tls.go.
func createTLSSecret(s *session) error {
	name, err := s.oneName()
	if err != nil {
		return err
	}
	if s.flags.text("key") == "" || s.flags.text("cert") == "" {
		return errors.New("key and cert must be specified")
	}
	secret := &corev1.Secret{Type: corev1.SecretTypeTLS, Data: map[string][]byte{}}
	secret.Name = name
	files := s.files()
	for _, part := range []struct{ flag, key string }{{"cert", corev1.TLSCertKey}, {"key", corev1.TLSPrivateKeyKey}} {
		file := s.flags.text(part.flag)
		text, is := files[path.Clean(file)]
		if !is {
			return fmt.Errorf("Cannot read file %s, open %s: no such file or directory", file, file)
		}
		secret.Data[part.key] = []byte(text)
	}
	if err := keyPair(secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey]); err != nil {
		return err
	}
	return s.generateSecret(secret)
}

// keyPair says what is wrong with the PEM of a certificate and of its key. Upstream: Go's crypto/tls, X509KeyPair, up to where it parses what is inside.
func keyPair(cert, key []byte) error {
	isCert := func(kind string) bool { return kind == "CERTIFICATE" }
	isKey := func(kind string) bool { return kind == "PRIVATE KEY" || strings.HasSuffix(kind, " PRIVATE KEY") }
	switch others, found := blocks(cert, isCert); {
	case found:
	case len(others) == 0:
		return errors.New("tls: failed to find any PEM data in certificate input")
	case len(others) == 1 && strings.HasSuffix(others[0], "PRIVATE KEY"):
		return errors.New("tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched")
	default:
		return fmt.Errorf("tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks of the following types: %v", others)
	}
	switch others, found := blocks(key, isKey); {
	case found:
	case len(others) == 0:
		return errors.New("tls: failed to find any PEM data in key input")
	case len(others) == 1 && isCert(others[0]):
		return errors.New("tls: found a certificate rather than a key in the PEM for the private key")
	default:
		return fmt.Errorf("tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping PEM blocks of the following types: %v", others)
	}
	return nil
}

// blocks looks for one of a kind in a text of PEM blocks. others are the types of those before it.
func blocks(text []byte, is func(kind string) bool) (others []string, found bool) {
	for kind, rest, some := block(string(text)); some; kind, rest, some = block(rest) {
		if is(kind) {
			return others, true
		}
		others = append(others, kind)
	}
	return others, false
}

// block finds the first block in a text of PEM: its type, and what follows. Upstream: Go's encoding/pem, Decode, which is 2 kB of the download.
func block(text string) (kind, rest string, is bool) {
	for more := true; ; {
		if text, rest, more = strings.Cut(text, "\n-----END "); !more {
			return "", "", false
		}
		at := strings.LastIndex("\n"+text, "\n-----BEGIN ")
		first, body, _ := strings.Cut(text[max(at, 0):], "\n")
		last, _, _ := strings.Cut(rest, "\n")
		for line, next, more := strings.Cut(body, "\n"); more && strings.Contains(line, ":"); line, next, more = strings.Cut(next, "\n") {
			body = next // it was a header
		}
		_, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(body), ""))
		kind, is = strings.CutSuffix(strings.TrimRight(strings.TrimPrefix(first, "-----BEGIN "), " \t\r"), "-----")
		if at >= 0 && is && err == nil && strings.TrimRight(last, " \t\r") == kind+"-----" {
			return kind, rest, true
		}
		text = rest
	}
}
