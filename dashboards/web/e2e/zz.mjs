import { chromium } from '@playwright/test'
const b = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
const p = await b.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion:'reduce' })
p.on('pageerror', e=>console.log('ERR',e.message))
const at=()=>p.evaluate(()=>{const e=document.activeElement; return e===document.body?'BODY':`${e.tagName.toLowerCase()}[${e.getAttribute('role')??''}] ${(e.getAttribute('aria-label')??e.textContent.trim()).slice(0,60)}`})
const tabs=async(n)=>{for(let i=0;i<n;i++){await p.keyboard.press('Tab'); console.log('  ',await at())}}
const to=async(re,n=60,key='Tab')=>{for(let i=0;i<n;i++){await p.keyboard.press(key); const s=await at(); if(re.test(s)){console.log('to',re,'after',i+1,key,':',s);return}} console.log('NOT FOUND',re, await at())}
await p.goto('http://127.0.0.1:18471/'); await p.locator('[data-row="0"]').waitFor()
await to(/Views/); await p.keyboard.press('Enter'); await p.waitForTimeout(500); console.log(await at()); await to(/Failed today/,12); await p.keyboard.press('Enter'); await p.waitForTimeout(1500); console.log('after view:',await at(), p.url())
await to(/^a\[\] Release/); await p.keyboard.press("Enter"); await p.locator("[role=treegrid]").waitFor(); await p.waitForTimeout(1500); console.log("session:", await at(), p.url())
await to(/Spans/,60); console.log(await p.locator('[role=treegrid] [role=row]').allTextContents())
for(let i=0;i<7;i++){await p.keyboard.press('ArrowDown'); console.log(await p.locator('[role=treegrid]').getAttribute('aria-activedescendant'), await p.evaluate(()=>document.querySelector('[role=treegrid] [aria-selected=true]')?.textContent))}
await p.keyboard.press('Enter'); await p.waitForTimeout(800); console.log('enter:',await at(), await p.getByRole('complementary').allTextContents().then(x=>x.map(y=>y.slice(0,100))))
await p.screenshot({path:'/tmp/a12k/failed.png'})
await tabs(6)
await p.keyboard.press('Escape'); await p.waitForTimeout(500); console.log('escape:', await at(), await p.getByRole('complementary').count())
// compare
await p.goto('http://127.0.0.1:18471/sessions/demo-release-failed'); await p.locator('[role=treegrid]').waitFor(); await p.waitForTimeout(1500)
await to(/last good run/); await p.keyboard.press('Enter'); await p.waitForURL(/compare/); await p.getByText(/The same for/).waitFor(); await p.waitForTimeout(500); console.log('compare:', await at())
await tabs(28); await p.keyboard.press('n'); await p.waitForTimeout(300); console.log('n:',await at()); await p.keyboard.press('Enter'); await p.waitForTimeout(300); console.log(await at())
await p.screenshot({path:'/tmp/a12k/compare.png'})
// find bar
await p.goto('http://127.0.0.1:18471/sessions/demo'); await p.locator('[role=treegrid]').waitFor(); await p.waitForTimeout(1500)
await to(/Find words/); await p.keyboard.press('Enter'); await p.waitForTimeout(500); console.log(await at()); await p.keyboard.type('build'); await p.keyboard.press('Escape'); await p.waitForTimeout(500); console.log('find closed:',await at())
await to(/Session menu/); await p.keyboard.press('Enter'); await p.waitForTimeout(500); console.log('menu', await at()); await p.screenshot({path:'/tmp/a12k/menu.png'})
await p.keyboard.press('ArrowDown'); await p.keyboard.press('ArrowDown'); console.log(await at()); await p.keyboard.press('Enter'); await p.getByRole('dialog').waitFor(); await p.waitForTimeout(500); console.log('dialog',await at()); await p.screenshot({path:'/tmp/a12k/dialog.png'}); await p.keyboard.press('Escape'); await p.waitForTimeout(600); console.log('dialog closed',await at())
await p.keyboard.press('Control+k'); await p.getByRole('dialog').waitFor(); await p.waitForTimeout(500); console.log('palette', await at()); await p.keyboard.press('Escape'); await p.waitForTimeout(500); console.log('palette closed',await at())
await to(/Speed/,90); await p.keyboard.press('Enter'); await p.waitForTimeout(500); console.log('speed', await at()); await p.screenshot({path:'/tmp/a12k/speed.png'}); await p.keyboard.press('Escape'); await p.waitForTimeout(500);console.log('speed closed', await at())
await p.goto('http://127.0.0.1:18471/'); await p.locator('[data-row="0"]').waitFor()
await p.keyboard.press('Tab'); console.log(await at()); await p.keyboard.press('Enter'); await p.waitForTimeout(300); console.log('skip:',await at()); await tabs(2)
await b.close()
