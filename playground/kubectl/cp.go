package kubectl

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/ustar"
	"kubewalk/playground/controlplane/client"
)

// fileSpec is a place of a file: in a Pod, or on the terminal's machine if there is no Pod.
// Upstream: kubectl pkg/cmd/cp/filespec.go.
type fileSpec struct{ namespace, pod, path string }

// parseFileSpec reads "namespace/pod:path". Upstream: kubectl pkg/cmd/cp/cp.go, extractFileSpec.
func parseFileSpec(text string) (out fileSpec, err error) {
	pod, file, remote := strings.Cut(text, ":")
	if !remote {
		return fileSpec{path: text}, nil
	}
	namespace, name, both := strings.Cut(pod, "/")
	if !both {
		namespace, name = "", pod
	}
	if pod == "" || strings.Contains(name, "/") {
		return out, errors.New("filespec must match the canonical format: [[namespace/]pod:]file/path")
	}
	return fileSpec{namespace, name, file}, nil
}

// mostFiles bounds what the terminal's machine holds, in bytes.
const mostFiles = 16 << 20

// runCp is kubectl cp: tar runs in the container, at the other end as well. The files of the terminal's machine are those that were
// copied there; /dev/stdout is the terminal.
//
// Simplified: files on the terminal's machine have no permissions.
// Upstream: kubectl pkg/cmd/cp/cp.go, CopyOptions.Run.
func runCp(s *session) error {
	if len(s.args) != 2 {
		return errors.New("source and destination are required")
	}
	from, err := parseFileSpec(s.args[0])
	if err != nil {
		return err
	}
	to, err := parseFileSpec(s.args[1])
	switch {
	case err != nil:
		return err
	case from.pod != "" && to.pod != "":
		return errors.New("one of src or dest must be a local file specification")
	case from.path == "" || to.path == "":
		return errors.New("filepath can not be empty")
	case from.pod == "" && to.pod == "":
		return errors.New("one of src or dest must be a remote file specification")
	case s.terminal == nil:
		return errors.New("there is no terminal here, whose files could be copied")
	case from.pod != "":
		return s.copyFromPod(from, to.path)
	}
	return s.copyToPod(from.path, to)
}

// inPod runs a command in a container, as kubectl exec does.
func (s *session) inPod(at fileSpec, input string, command ...string) (*client.Text, error) {
	if at.namespace == "" {
		at.namespace = s.namespace
	}
	i := &info{kind: podKind, namespace: at.namespace, name: at.pod}
	pod, err := s.object(i.request(client.Get))
	if err != nil {
		return nil, err
	}
	names, err := s.containersOf(pod.(*corev1.Pod), s.flags.text("container"), false)
	if err != nil {
		return nil, err
	}
	r := i.request(client.Create)
	r.Subresource = "exec"
	r.Exec = &client.ExecOptions{Container: names[0], Command: command, Stdin: input != "", Stdout: true, Stderr: true, Input: input}
	return client.As[*client.Text](s.do(r))
}

// exited is the error of a command that ended with another code than 0.
func (s *session) exited(text *client.Text) error {
	if text.Stderr != "" {
		s.complain(text.Stderr)
	}
	if text.ExitCode == 0 {
		return nil
	}
	s.complain(fmt.Sprintf("command terminated with exit code %d", text.ExitCode))
	return errExit
}

// copyFromPod unpacks what tar has packed in the container. Upstream: cp.go, copyFromPod and untarAll.
func (s *session) copyFromPod(from fileSpec, to string) error {
	packed, err := s.packed(from)
	if err != nil {
		return err
	}
	prefix := strings.TrimLeft(path.Clean("/"+from.path), "/") // without any ".." that leads above the root
	for archive := packed; archive != ""; {
		m, rest, err := ustar.Next(archive)
		if err == io.EOF {
			return nil
		}
		if err == ustar.ErrShort {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		archive = rest
		inside, ok := strings.CutPrefix(m.Name, prefix)
		switch {
		case !ok:
			return errors.New("tar contents corrupted")
		case m.Kind != ustar.File:
		case to == "/dev/stdout":
			s.printf("%s", m.Data)
		default:
			if err := s.terminal.write(path.Join(to, inside), m.Data); err != nil {
				return err
			}
		}
	}
	return nil
}

// packed is the archive that tar makes in the container. If it has no end, kubectl goes on behind what came, as often as --retries says; then
// a shell runs tar, and nobody sees the code that it ends with. Upstream: cp.go, TarPipe.
func (s *session) packed(from fileSpec) (archive string, err error) {
	most := s.flags.number("retries", 0)
	if most < 0 {
		defer s.goesOn(func() { s.stopped = true })()
	}
	command := []string{"tar", "cf", "-", from.path}
	for retry, at := int64(0), 0; ; at = len(archive) + 1 {
		if most != 0 {
			command = []string{"sh", "-c", fmt.Sprintf("tar cf - '%s' | tail -c+%d", strings.ReplaceAll(from.path, "'", `'\''`), at)}
		}
		text, err := s.inPod(from, "", command...)
		if err != nil {
			return "", err
		}
		s.printf("%s", text.Stderr) // as upstream: not on standard error
		if err := s.exited(&client.Text{ExitCode: text.ExitCode}); err != nil {
			return "", err
		}
		if archive += text.Body; !ustar.Short(archive) || s.stopped {
			return archive, nil
		}
		if most >= 0 && retry >= most {
			s.printf("Dropping out copy after %d retries\n", retry)
			return archive, nil
		}
		retry++
		s.printf("Resuming copy at %d bytes, retry %d/%d\n", len(archive), retry, most)
	}
}

// copyToPod has tar unpack a file in the container, or all files of a directory. Upstream: cp.go, copyToPod and recursiveTar.
func (s *session) copyToPod(from string, to fileSpec) error {
	from = path.Clean(from)
	var members []ustar.Member
	files := s.files()
	for _, name := range sortedKeys(files) {
		if rest, ok := strings.CutPrefix(name, from); ok && (rest == "" || rest[0] == '/' || from == ".") {
			data := files[name]
			members = append(members, ustar.Member{Name: rest, Kind: ustar.File, Mode: 0o644, Time: s.p.Time().Unix(), Size: len(data), Data: data})
		}
	}
	if len(members) == 0 {
		return fmt.Errorf("%s doesn't exist in local filesystem", from)
	}
	at := path.Clean(to.path)
	directory, err := s.inPod(to, "", "test", "-d", to.path)
	if err != nil {
		return err
	}
	if directory.ExitCode == 0 {
		at = path.Join(at, path.Base(from))
	}
	dir, base := path.Split(at)
	command := []string{"tar", "-xmf", "-"}
	if s.flags.yes("no-preserve") {
		command = []string{"tar", "--no-same-permissions", "--no-same-owner", "-xmf", "-"}
	}
	if dir = path.Clean(dir); dir != "." {
		command = append(command, "-C", dir)
	}
	var archive strings.Builder
	for _, m := range members {
		m.Name = path.Join(base, m.Name)
		archive.WriteString(m.Header() + m.Data + ustar.Padding(m.Size))
	}
	text, err := s.inPod(to, archive.String()+ustar.End, command...)
	if err != nil {
		return err
	}
	return s.exited(text)
}

// write makes a file on the terminal's machine.
func (t *Terminal) write(name, text string) error {
	size := len(text)
	for _, other := range t.files { // order: a sum
		size += len(other)
	}
	if size > mostFiles {
		return fmt.Errorf("write %s: no space left on device", name)
	}
	if t.files == nil {
		t.files = map[string]string{}
	}
	t.files[path.Clean(name)] = text
	return nil
}
