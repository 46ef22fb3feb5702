package kubectl

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"kubewalk/playground/api/corev1"
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
// Simplified: --retries is absent, and files on the terminal's machine have no permissions.
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
	text, err := s.inPod(from, "", "tar", "cf", "-", from.path)
	if err == nil {
		err = s.exited(text)
	}
	if err != nil {
		return err
	}
	prefix := strings.TrimLeft(path.Clean("/"+from.path), "/") // without any ".." that leads above the root
	members, err := untar(text.Body)
	if err != nil {
		return err
	}
	for _, m := range members {
		rest, ok := strings.CutPrefix(m.name, prefix)
		switch {
		case !ok:
			return errors.New("tar contents corrupted")
		case m.directory:
		case to == "/dev/stdout":
			s.printf("%s", m.text)
		default:
			if err := s.terminal.write(path.Join(to, rest), m.text); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyToPod has tar unpack a file in the container, or all files of a directory. Upstream: cp.go, copyToPod and recursiveTar.
func (s *session) copyToPod(from string, to fileSpec) error {
	from = path.Clean(from)
	var members []member
	for _, name := range sortedKeys(s.terminal.files) {
		if rest, ok := strings.CutPrefix(name, from); ok && (rest == "" || rest[0] == '/' || from == ".") {
			members = append(members, member{name: rest, text: s.terminal.files[name]})
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
	for n := range members {
		members[n].name = path.Join(base, members[n].name)
	}
	text, err := s.inPod(to, tarOf(members, s.p.Time().Unix()), command...)
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

// member is a file in an archive.
type member struct {
	name, text string
	directory  bool
}

// block is what the parts of an archive fill up.
const block = 512

// untar takes an archive apart, as tar in our containers writes it. Upstream: POSIX ustar, and GNU tar's long names.
func untar(text string) (out []member, err error) {
	corrupt := errors.New("archive/tar: invalid tar header")
	long := ""
	for len(text) >= block && text[0] != 0 {
		head := text[:block]
		size, err := strconv.ParseUint(strings.Trim(head[124:136], " \x00"), 8, 31)
		padded := (int(size) + block - 1) / block * block
		if text = text[block:]; err != nil || padded > len(text) {
			return nil, corrupt
		}
		data := text[:size]
		text = text[padded:]
		name, _, _ := strings.Cut(head[:100], "\x00")
		if long != "" {
			name, long = long, ""
		}
		switch head[156] {
		case 'L':
			long = strings.TrimRight(data, "\x00")
		case '5':
			out = append(out, member{name: strings.TrimRight(name, "/"), directory: true})
		case '0', 0:
			out = append(out, member{name: name, text: data})
		}
	}
	return out, nil
}

// tarOf is an archive of files.
func tarOf(members []member, now int64) string {
	var b strings.Builder
	part := func(text string) {
		b.WriteString(text)
		b.WriteString(strings.Repeat("\x00", (block-len(text)%block)%block))
	}
	head := func(name string, kind byte, size int) {
		h := make([]byte, block)
		copy(h[:100], name)
		copy(h[100:], fmt.Sprintf("%07o\x00%07o\x00%07o\x00%011o\x00%011o\x00        %c", 0o644, 0, 0, size, now, kind))
		copy(h[257:], "ustar\x0000")
		sum := 0
		for _, c := range h {
			sum += int(c)
		}
		copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
		part(string(h))
	}
	for _, m := range members {
		if len(m.name) > 100 {
			head("././@LongLink", 'L', len(m.name)+1)
			part(m.name + "\x00")
		}
		head(m.name, '0', len(m.text))
		part(m.text)
	}
	b.WriteString(strings.Repeat("\x00", 2*block))
	return b.String()
}
