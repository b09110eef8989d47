/** The sign of the program: a tape. */
export function Sign() {
  return (
    <svg width={26} height={26} viewBox="0 0 32 32" fill="#fff" aria-hidden>
      <rect x="2" y="7" width="28" height="18" rx="5" fill="var(--brand)" />
      <circle cx="10.5" cy="16" r="4.5" />
      <circle cx="21.5" cy="16" r="4.5" />
      <circle cx="10.5" cy="16" r="1.6" fill="var(--brand)" />
      <circle cx="21.5" cy="16" r="1.6" fill="var(--brand)" />
      <rect x="10" y="20" width="12" height="1.6" />
    </svg>
  )
}
