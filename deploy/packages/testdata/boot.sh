# Starts systemd on a copy-on-write copy of this machine, in namespaces of its own:
#
#   unshare --mount --pid --fork --uts --ipc --net sh boot.sh DIR LIBRARY
#
# DIR/files is copied to /opt/test of the copy, and the file LIBRARY is mounted as
# /opt/test/libchdb.so. Services that would change the kernel's settings are masked.
set -e
dir=$1 library=$2
mount -t tmpfs -o size=4g tmpfs "$dir/disk"
mkdir "$dir/disk/upper" "$dir/disk/work" "$dir/disk/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$dir/disk/upper,workdir=$dir/disk/work" "$dir/disk/root"
mkdir -p "$dir/disk/root/opt"
cp -a "$dir/files" "$dir/disk/root/opt/test"
touch "$dir/disk/root/opt/test/libchdb.so"
mount --bind "$library" "$dir/disk/root/opt/test/libchdb.so"
cd "$dir/disk/root"
mount -t proc proc proc
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
mount --rbind /sys sys
mount --rbind /dev dev
ip link set lo up
for unit in sysctl modules-load binfmt remount-fs udevd timesyncd random-seed update-utmp; do
	ln -sf /dev/null "etc/systemd/system/systemd-$unit.service"
done
printf '[Unit]\nRequires=basic.target\nAfter=basic.target\n' >etc/systemd/system/test.target
mkdir -p before
pivot_root . before # the sandbox of a unit makes a user namespace, which a process in a chroot may not
cd /
umount -l /before
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /usr/lib/systemd/systemd --system --unit=test.target --log-target=journal
